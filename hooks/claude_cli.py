"""The client's command line, as far as starting a session goes.

The tables were taken from `claude --help` and from how 2.1.332 behaves when it is run: it looks for `--bg` before
anything else, so that `claude mcp list --bg` and `claude --version --bg` start sessions too; only the value of another
option, what follows `--`, and the words of a job command are not looked at. A new option that takes a value is a word
in one of the tables.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .words import Argument

NAMES = frozenset(("claude", "claude.exe", "claude.cmd"))
PACKAGES = ("@anthropic-ai/claude-code", "#claude-code")

BACKGROUND = frozenset(("--bg", "--background"))
PRINT = frozenset(("-p", "--print"))


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Options that take the next word, whatever it looks like.
VALUES = _listed(
    "--advisor --agent --agent-color --agent-id --agent-name --agent-type --agents --append-subagent-system-prompt"
    " --append-subagent-system-prompt-file --append-system-prompt --append-system-prompt-file --attach-serve"
    " --autocompact --client-data-url --correlation-id --debug-file --deep-link-cwd-b64 --deep-link-last-fetch"
    " --deep-link-repo --effort --environment --exec --fallback-model --fast-mode --forward-home-settings --handle-uri"
    " --inherit-permission-mode --initialize-fields --input-format --json-schema --lead-verify-key --managed-settings"
    " --max-budget-usd --max-thinking-tokens --max-turns --messaging-socket-path --metadata --model --name -n"
    " --on-branch --output-format --parent-session-id --permission-mode --permission-prompt-tool --permission-prompts"
    " --plan-mode-instructions --plugin-dir --plugin-dir-no-mcp --plugin-url --pool --prefill --prefill-b64"
    " --proactivity --project-config-root --ref --remote-control-session-name-prefix --resume-drops-turn"
    " --resume-session-at --rewind-files --runner-declares --sdk-url --session-began-as-copy --session-id"
    " --setting-sources --settings --system-prompt --system-prompt-file --system-prompt-snapshot --task-budget"
    " --team-name --teammate-mode --thinking --thinking-display --watch-artifact --watch-artifact-no-autoreact"
    " --workload"
)
# Options that take the next word, whatever it looks like, and all after it up to the next option.
LISTS = _listed(
    "--add-dir --allowed-tools --allowedTools --betas --channels --dangerously-load-development-channels"
    " --disallowed-tools --disallowedTools --file --mcp-config --tools"
)
# Options that take the next word unless it looks like an option.
OPTIONAL = _listed(
    "-d --debug -r --resume -w --worktree --cloud --from-pr --prompt-suggestions --rc --remote --remote-control"
    " --teleport"
)
# With one of these the client refuses to start a background session.
ELSEWHERE = frozenset(("--cloud", "--remote", "--desktop"))
# First words after which `--bg` is a word of that command.
JOBS = frozenset(("attach", "logs", "stop", "kill", "respawn", "rm", "daemon"))
# First words after which `-p` is an option of that command.
COMMANDS = JOBS | _listed(
    "agents auth auto-mode config doctor gateway import install mcp plugin plugins purge setup-token ultrareview"
    " update upgrade"
)


class Line:
    """What the client makes of its arguments.

    Attributes:
        background, prints: the argument that asks for it, or None. One that is not known may hold the flag.
        executes: `--exec`, which runs a shell command and starts no session.
        elsewhere: a session that is not on this machine, or no background session for another reason.
        settings: the value of the last `--settings`, which is the one that counts, or None.
        autocompact: in the same way.
        dangling: a `--settings` that is the last word and has no value.
        job: the first of all words names a job command.
    """

    __slots__ = ("autocompact", "background", "dangling", "elsewhere", "executes", "job", "prints", "settings")

    def __init__(self) -> None:
        self.background: Argument | None = None
        self.prints: Argument | None = None
        self.settings: Argument | None = None
        self.autocompact: Argument | None = None
        self.dangling: Argument | None = None
        self.executes = False
        self.elsewhere = False
        self.job = False


def is_client(name: str) -> bool:
    """Whether the shell runs the client under this name or path."""
    path = name.replace("\\", "/")
    return path.rpartition("/")[2] in NAMES or "/claude/versions/" in path.rpartition("/")[0] + "/"


def is_package(name: str) -> bool:
    """Whether a package runner or an interpreter runs the client for this package or path."""
    return any(package in name for package in PACKAGES) or is_client(name)


def parse(arguments: list[Argument]) -> Line:
    """What the client makes of its arguments, the client's name not among them."""
    line = Line()
    line.job = bool(arguments) and arguments[0].text in JOBS
    prompt = True  # the first word that is no option may be a command; `-p` after it is an option of that command
    at = 0
    while at < len(arguments):
        argument = arguments[at]
        at += 1
        if not argument.known:
            _may_be_flag(argument, line)
        elif argument.text == "--":
            break
        elif _looks_like_option(argument):
            at = _option(argument, arguments, at, line)
        elif prompt:
            prompt = False
            if argument.text in COMMANDS and not line.prints:
                _background_only(arguments[at:], line)
                break
    return line


def _background_only(arguments: list[Argument], line: Line) -> None:
    rest = parse(arguments)
    line.background = line.background or rest.background
    line.settings = rest.settings or line.settings
    line.dangling = rest.dangling
    line.autocompact = rest.autocompact or line.autocompact


def _option(argument: Argument, arguments: list[Argument], at: int, line: Line) -> int:
    """Note one option; returns the index after it and what it takes."""
    text = argument.text
    name, equals, _ = text.partition("=")
    if name in ("--settings", "--autocompact"):
        value = argument.after(len(name) + 1) if equals else (arguments[at] if at < len(arguments) else None)
        if name == "--settings":
            line.settings = value or line.settings
            line.dangling = None if value else argument
        else:
            line.autocompact = value or line.autocompact
    elif name == "--exec":
        line.executes = True
    elif text in BACKGROUND:
        line.background = line.background or argument
    elif text in PRINT or _cluster_prints(text):
        line.prints = line.prints or argument
    line.elsewhere = line.elsewhere or name in ELSEWHERE
    return at if equals else _taken(text, arguments, at)


def _taken(option: str, arguments: list[Argument], at: int) -> int:
    if option in VALUES:
        return at + 1
    if option in LISTS:
        at += 1
        while at < len(arguments) and not _looks_like_option(arguments[at]):
            at += 1
        return at
    if option in OPTIONAL and at < len(arguments) and not _looks_like_option(arguments[at]):
        return at + 1
    return at


def _looks_like_option(argument: Argument) -> bool:
    return len(argument.text) > 1 and argument.text.startswith("-")


def _cluster_prints(text: str) -> bool:
    """Whether `-p` is one of several short options in one word; the value of one of them is not looked at."""
    if text.startswith("--") or len(text) < 3 or not text[1:].isalpha():
        return False
    for letter in text[1:]:
        if letter == "p":
            return True
        if "-" + letter in VALUES or "-" + letter in OPTIONAL:
            return False
    return False


_MARKS = str.maketrans(dict.fromkeys("='\"}$", " "))


def _may_be_flag(argument: Argument, line: Line) -> None:
    """Note an argument of which it is only known how it is written."""
    words = argument.evidence.translate(_MARKS).split()
    words = [word.strip("();,`{+") for word in words]
    cut = argument.word is not None and argument.word.dynamic and argument.word.head in ("-", "--", "--b", "--ba")
    if cut or any(word in BACKGROUND or word.endswith((":+--bg", ":---bg")) for word in words):
        line.background = line.background or argument
    if any(word in PRINT for word in words):
        line.prints = line.prints or argument

"""What is known about the commands that only look: the one table of their harmless options.

To let another command pass as a glance, add it to `TOOLS` (or a command of git's to `GIT`) with the options that are
known from its manual to do no harm. Left out on purpose are options that write a file, run another program, reach the
network, wait, or never end; the notation is that of `options.py`. A judge adds what options alone cannot say.
"""

from __future__ import annotations

from . import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .shell import Command, Word

    Judge = Callable[["Use", list[Word]], bool]

COMPARISONS = frozenset(("-eq", "-ne", "-lt", "-le", "-gt", "-ge"))  # `[[ ]]` evaluates what stands beside them


class Tool:
    """What is known about a command.

    Attributes:
        options: the harmless ones, in the notation of `options.py`.
        reads: how many operands stand in front of the files that it reads; None when it reads no files' contents.
            Without a file such a command reads its standard input.
        most: the number of operands that it may have.
        free: no option of it does harm at all, so that a word that is not known may stand where an option can.
        help: `--help` and `--version` only print (git's open a pager).
        judge: what else must hold; it gets the words behind the name.
    """

    __slots__ = ("free", "help", "judge", "most", "options", "reads")

    def __init__(
        self,
        options: str = "",
        reads: int | None = None,
        most: int = 1_000_000,
        free: bool = False,
        judge: Judge | None = None,
        help: bool = True,  # noqa: A002 - named as the option is
    ) -> None:
        self.options = options
        self.reads = reads
        self.most = most
        self.free = free
        self.judge = judge
        self.help = help


class Use:
    """One use of a tool: what it has to read, and the common rules."""

    __slots__ = ("command", "tool")

    def __init__(self, command: Command, tool: Tool) -> None:
        self.command = command
        self.tool = tool

    def judged(self, words: list[Word]) -> bool:
        """Whether this use, with these words behind the name, only looks."""
        if self.tool.judge is not None:
            return self.tool.judge(self, words)
        return self.common(words) is not None

    def common(self, words: list[Word], reads: int | None = None) -> options.Options | None:
        """The options and operands when the common rules hold, else None; `reads` as in the table."""
        tool = self.tool
        found = self.read(words)
        if found is None or len(found.operands) > tool.most:
            return None
        if tool.most < 100 and not all(is_one(word) for word in found.operands):
            return None
        reads = tool.reads if reads is None else reads
        if reads is None or found.any("--help", "--version"):
            return found
        return found if self.is_fed(found, reads) else None

    def read(self, words: list[Word]) -> options.Options | None:
        """The options and operands, None when one of them is not known or never ends."""
        notation = self.tool.options + " --help --version" if self.tool.help else self.tool.options
        found = options.read(words, notation, self.tool.free)
        if found is None:
            return None
        values = (value for given in found.given.values() for value in given if isinstance(value, str))
        if any(is_endless(value) for value in values) or (_from_input(found) and not self.has_input()):
            return None
        return found

    def is_fed(self, found: options.Options, reads: int) -> bool:
        """Whether what it reads is there and comes to an end."""
        files = found.operands[reads:]
        if any(is_device(word) for word in files):
            return False
        if not files or any(word.static and word.text == "-" for word in files):
            return self.has_input()
        return True

    def has_input(self) -> bool:
        """Whether the standard input is a pipe, a file or a text, not what the command was started with."""
        frames = self.command.frame.around()
        if any(frame.source is not None for frame in frames):
            return True
        redirects = [*self.command.redirects, *(redirect for frame in frames for redirect in frame.redirects)]
        return any(redirect.feeds and not redirect.copies for redirect in redirects)


# Words


def is_one(word: Word) -> bool:
    """Whether the word is exactly one word for the command."""
    return not (word.glob or word.splits)


def is_number(word: Word) -> bool:
    """Whether the word is a numeral, or a variable that always is one."""
    if word.text in ("$?", "$#"):
        return True
    return word.static and word.text.lstrip("+-").isdigit() and word.text.isascii()


def is_short(word: Word) -> bool:
    """Whether braces in the word make no more words of it than a person would read."""
    if not word.brace:
        return True
    count, longest = word.text.count("{"), max(map(len, digits(word.text)), default=0)
    return len(word.text) < 200 and count < 3 and longest < 5 - count


def digits(text: str) -> list[str]:
    """The runs of digits in the text."""
    return "".join(char if char.isdigit() else " " for char in text).split()


def is_device(word: Word) -> bool:
    """Whether reading what the word names may wait, never end or open a connection."""
    if word.glob and word.text.startswith("/") and word.head.count("/") < 2:
        return True
    return is_endless(word.text)


def is_endless(path: str) -> bool:
    """The same for a path in which nothing is unknown; a relative one may be seen from any folder."""
    if "/" not in path:
        return False
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in ("", ".", ".."):
            parts.append(part)
    rooted = path.startswith(("/", "../")) and parts[:1] == ["dev"] and parts != ["dev", "null"]
    pairs = list(zip(parts, parts[1:]))  # noqa: B905, RUF007 - of different lengths, and itertools would be an import
    return (
        rooted
        or any(
            (first == "dev" and second in _DEVICES) or (first == "fd" and second.isdigit()) for first, second in pairs
        )
        or (parts[:1] in (["proc"], ["sys"]) and parts[-1] in _KERNEL)
    )


_KERNEL = frozenset(("kcore", "kmsg", "mem", "pagemap", "trace_pipe"))
_DEVICES = frozenset(
    ("zero", "full", "random", "urandom", "tty", "stdin", "console", "ptmx", "kmsg", "fd", "tcp", "udp")
)


# Judges of single tools


def _cd(use: Use, words: list[Word]) -> bool:
    found = use.common(words)
    return found is not None and not any(_leads_to_devices(word.text) for word in found.operands)


def _leads_to_devices(path: str) -> bool:
    """Whether plain names in the folder may be devices, which then look like files."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return path.startswith(("/", "..")) and any(part in ("dev", "proc", "sys") for part in parts)


def _query(_use: Use, words: list[Word]) -> bool:
    """`command -v NAME`."""
    return len(words) > 1 and words[0].static and words[0].text in ("-v", "-V") and words[1].text[:1] != "-"


def _date(use: Use, words: list[Word]) -> bool:
    found = use.common(words)
    return found is not None and all(word.head.startswith("+") for word in found.operands)


def _tail(use: Use, words: list[Word]) -> bool:
    found = use.common(words)
    # `+5f` and `-cf`, which follows the file for ever, are old ways to write options.
    return (
        found is not None
        and not any(word.head.startswith("+") and not word.text[1:].isdigit() for word in found.operands)
        and not any(_follows(word) for word in words)
    )


def _follows(word: Word) -> bool:
    letters = word.head[1:].lstrip("0123456789")
    old = word.head.startswith("-") and letters[:1] in ("b", "c", "l")
    return old and ("f" in letters.lower() or not word.static)


def _grep(use: Use, words: list[Word]) -> bool:
    found = use.read(words)
    if found is None:
        return False
    reads = 0 if found.any("-e", "--regexp", "-f", "--file") else 1
    whole_folder = found.any("-r", "-R", "--recursive", "--dereference-recursive")
    if whole_folder and any(_holds_devices(word) for word in found.operands[reads:]):
        return False
    if whole_folder and len(found.operands) <= reads:
        return True
    return use.common(words, reads) is not None


def _from_input(found: options.Options) -> bool:
    """Whether an option names the standard input as a file to read."""
    return any(value == "-" for name in _FILE_OPTIONS for value in found.given.get(name, []))


_FILE_OPTIONS = ("-f", "--file", "-X", "--exclude-from", "--from-file", "--to-file", "--files0-from", "--ignore-file")


def _holds_devices(word: Word) -> bool:
    """Whether a folder has files below it whose reading may wait or never end: the root, and the kernel's own."""
    parts = [part for part in word.text.split("/") if part not in ("", ".")]
    return word.static and word.text.startswith("/") and (not parts or parts[0] in ("dev", "proc", "sys"))


def _rg(use: Use, words: list[Word]) -> bool:
    found = use.common(words)
    if found is None:
        return False
    paths = found.operands[0 if found.any("-e", "--regexp", "-f", "--file", "--files") else 1 :]
    if any(is_device(word) or _holds_devices(word) for word in paths):
        return False
    return use.has_input() if any(word.text == "-" for word in paths) else True


def _cmp(use: Use, words: list[Word]) -> bool:
    found = use.common(words)
    return found is not None and (len(found.operands) > 1 or use.has_input())


def _jq(use: Use, words: list[Word]) -> bool:
    if any(is_device(word) or _is_long_work(word.text) for word in words):
        return False
    left = []
    rest = iter(words)
    for word in rest:
        if word.static and word.text in ("--arg", "--argjson", "--slurpfile", "--rawfile"):
            next(rest, None)
            next(rest, None)
        else:
            left.append(word)
    found = use.read(left)
    if found is None or not found.operands or not found.operands[0].head:
        return False
    reads_itself = "input" in found.operands[0].text
    return (found.any("-n", "--null-input") and not reads_itself) or use.common(left) is not None


def _is_long_work(program: str) -> bool:
    """Whether a filter can run for ever, or nearly so; `import` and `include` bring in others' code."""
    if any(name in program for name in _JQ_ENDLESS):
        return True
    multiplies = "range" in program or "*" in program or "limit" in program
    return multiplies and any(map(_is_huge, _numbers(program)))


def _numbers(program: str) -> list[str]:
    return "".join(char if char in "0123456789.eE" else " " for char in program).split()


def _is_huge(number: str) -> bool:
    digits_before = number.partition(".")[0]
    return number[:1].isdigit() and ("e" in number.lower() or len(digits_before) > 6)


_JQ_ENDLESS = ("repeat", "while", "until", "recurse(", "infinite", "combinations", "def ", "import", "include")


def _printf(_use: Use, words: list[Word]) -> bool:
    if words and words[0].static and words[0].text == "--":
        words = words[1:]
    elif words and not options.harmless(words[0]):
        return False
    if not words or not words[0].head:
        return False
    directives = words[0].text.replace("%%", "").split("%")[1:]
    return all(_prints_little(directive) for directive in directives)


def _prints_little(directive: str) -> bool:
    """Whether a directive of printf is no `%n`, which sets a variable, and gives no width that fills the context."""
    letter = directive.lstrip("#0- +'123456789.*")
    width = directive[: len(directive) - len(letter)]
    return not letter.startswith("n") and "*" not in width and all(len(run) < 4 for run in digits(width))


def _tree(use: Use, words: list[Word]) -> bool:
    """An option with a value takes the next word, wherever its letter stands; the letters behind it are options too."""
    clusters = [word.head[1:] for word in words if word.head[:1] == "-" and word.head[:2] != "--"]
    glued = any(letter in cluster[:-1] for cluster in clusters for letter in "ILP")
    return not glued and use.common(words) is not None


def _anything(_use: Use, _words: list[Word]) -> bool:
    return True


def _sed(use: Use, words: list[Word]) -> bool:
    """`sed -n` with a script that prints lines by their numbers."""
    found = use.read(words)
    if found is None or not found.any("-n") or not found.operands:
        return False
    script = found.operands[0]
    if not script.static or not all(_prints_lines(part) for part in script.text.split(";")):
        return False
    return use.common(words) is not None


def _prints_lines(script: str) -> bool:
    script = script.strip(" ")
    first, comma, last = script.removesuffix("p").partition(",")
    addresses = [first, last.removeprefix("+")] if comma else [first]
    return script.endswith("p") and all(part == "$" or (part.isascii() and part.isdigit()) for part in addresses)


def _test(_use: Use, words: list[Word]) -> bool:
    """`test`, whose words must not turn out to be operators."""
    part: list[Word] = []
    for word in [*words, None]:
        if word is not None and not (word.static and word.text in ("-a", "-o") and part):
            part.append(word)
        elif not _test_part(part):
            return False
        else:
            part = []
    return True


def _test_part(part: list[Word]) -> bool:
    while part and part[0].static and part[0].text in ("!", "("):
        part = part[1:]
    while part and part[-1].static and part[-1].text == ")":
        part = part[:-1]
    if any(word.splits or word.glob for word in part):
        return False
    if len(part) < 2:
        return True
    operator = part[-2]
    if not operator.static:
        return False
    if len(part) == 2:
        return operator.text in _TEST_UNARY
    if operator.text in COMPARISONS:
        return len(part) == 3 and is_number(part[0]) and is_number(part[2])
    return len(part) == 3 and operator.text in ("=", "==", "!=", "<", ">", "-nt", "-ot", "-ef")


_TEST_UNARY = frozenset("-" + letter for letter in "abcdefghknoprstuwxzGLNOS")


def _bracket(use: Use, words: list[Word]) -> bool:
    return bool(words) and words[-1].static and words[-1].text == "]" and _test(use, words[:-1])


def _find(_use: Use, words: list[Word]) -> bool:
    tests, values = _FIND_TESTS.split(), _FIND_VALUES.split()
    rest = iter(words)
    for word in rest:
        if not word.static:
            if not options.harmless(word):
                return False
        elif word.text in values or _is_newer(word.text):
            value = next(rest, None)
            if value is None or not is_one(value):
                return False
        elif word.text[:1] == "-" and word.text not in tests:
            return False
    return True


def _is_newer(text: str) -> bool:
    return len(text) == 8 and text.startswith("-newer") and text[6] in "aBcm" and text[7] in "aBcmt"


_FIND_VALUES = """
    -amin -anewer -atime -cmin -cnewer -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename
    -links -lname -maxdepth -mindepth -mmin -mtime -name -newer -path -perm -printf
    -regex -regextype -samefile -size -type -uid -used -user -wholename -xtype
    """
_FIND_TESTS = """
    -H -L -P -a -and -d -daystart -depth -empty -executable -false -follow -ignore_readdir_race -ls -mount -nogroup
    -noleaf -not -nouser -nowarn -o -or -print -print0 -prune -quit -readable -true -warn -writable -xdev
    """


# git


def _git(use: Use, words: list[Word]) -> bool:
    at = 0
    while at < len(words) and words[at].static and words[at].text in ("-C", "--no-pager"):
        at += 1
        if words[at - 1].text == "-C":
            if at == len(words) or not is_one(words[at]):
                return False
            at += 1
    if at == len(words) or not words[at].static:
        return False
    name, words = words[at].text, words[at + 1 :]
    if words and words[0].static and f"{name} {words[0].text}" in GIT:
        name, words = f"{name} {words[0].text}", words[1:]
    tool = GIT.get(name)
    return tool is not None and not any(is_device(word) for word in words) and Use(use.command, tool).judged(words)


def _git_history(use: Use, words: list[Word]) -> bool:
    found = use.common(words)
    if found is None:
        return False
    formats = [*found.given.get("--format", []), *found.given.get("--pretty", [])]
    return all(isinstance(value, str) and not _asks_gpg(value) for value in formats)


def _asks_gpg(form: str) -> bool:
    """Whether a format checks signatures, which runs gpg: `%G?`, with a sign before the letter as well."""
    return any(part.lstrip("-+ ").startswith("G") for part in form.split("%")[1:])


def _git_reflog(use: Use, words: list[Word]) -> bool:
    found = use.common(words)
    if found is None or not _git_history(use, words):
        return False
    return all(word.static and word.text not in ("expire", "delete", "drop", "write") for word in found.operands)


def _git_references(use: Use, words: list[Word]) -> bool:
    """`branch` and `tag`: an operand creates one, unless an option says that it is a pattern."""
    found = use.common(words)
    if found is None or (found.operands and not found.any(*_GIT_LISTING)):
        return False
    if not all(
        isinstance(value, str) and len(value) < 6 and value.strip("0123456789") == "" for value in _counts(found)
    ):
        return False
    # `%(signature)` runs gpg.
    forms = [*found.given.get("--format", []), *found.given.get("--sort", [])]
    return all(isinstance(value, str) and "signature" not in value for value in forms)


def _counts(found: options.Options) -> list[Word | str]:
    """The values of `-n`: a negative number of lines makes `tag` write."""
    return found.given.get("-n", [])


_GIT_LISTING = ("-l", "--list", "-n", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at")


def _git_diff(use: Use, words: list[Word]) -> bool:
    """Outside a repository `-` is the standard input."""
    found = use.common(words)
    return found is not None and (use.has_input() or not any(word.text == "-" for word in found.operands))


def _git_remote_show(use: Use, words: list[Word]) -> bool:
    found = use.common(words)
    return found is not None and (found.any("-n") or not found.operands)


def _git_config(use: Use, words: list[Word]) -> bool:
    """Without an option that says what to do, one operand asks and two write."""
    found = use.common(words)
    if found is None:
        return False
    if found.any("-l", "--list"):
        return not found.operands
    if found.any("--get", "--get-all", "--get-regexp", "--get-urlmatch"):
        return len(found.operands) in (1, 2)
    return len(found.operands) == 1 and "." in found.operands[0].head


_GIT_DIFF = """
    -puszaRWbwBMCD -U: -X? -l: -S: -G: -O: -I: -B? -M? -C? --patch --no-patch --unified= --raw --patch-with-raw
    --indent-heuristic --no-indent-heuristic --minimal --patience --histogram --anchored= --diff-algorithm= --stat?
    --compact-summary --numstat --shortstat --dirstat? --cumulative --dirstat-by-file? --summary --patch-with-stat
    --name-only --name-status --submodule? --color? --no-color --color-moved? --no-color-moved --color-moved-ws=
    --word-diff? --word-diff-regex= --color-words? --no-renames --rename-empty --no-rename-empty --check
    --ws-error-highlight= --full-index --binary --abbrev? --no-abbrev --break-rewrites? --find-renames?
    --find-copies? --find-copies-harder --irreversible-delete --diff-filter= --find-object= --pickaxe-all
    --pickaxe-regex --skip-to= --rotate-to= --relative? --no-relative --text --ignore-cr-at-eol
    --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines=
    --inter-hunk-context= --function-context --exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules?
    --src-prefix= --dst-prefix= --no-prefix --default-prefix --line-prefix= --ita-invisible-in-index
    --output-indicator-new= --output-indicator-old= --output-indicator-context=
    """
_GIT_LOG = (
    _GIT_DIFF
    + """
    -# -n: -iEFPgcmtrq -L: --max-count= --skip= --since= --after= --until= --before= --since-as-filter= --author=
    --committer= --grep= --grep-reflog= --all-match --invert-grep --regexp-ignore-case --basic-regexp
    --extended-regexp --fixed-strings --perl-regexp --remove-empty --merges --no-merges --min-parents=
    --max-parents= --no-min-parents --no-max-parents --first-parent --exclude-first-parent-only --not --all
    --branches? --tags? --remotes? --glob= --exclude= --reflog --alternate-refs --single-worktree --ignore-missing
    --bisect --walk-reflogs --merge --boundary --simplify-by-decoration --show-pulls --full-history --dense --sparse
    --simplify-merges --ancestry-path? --cherry-mark --cherry-pick --cherry --left-only --right-only --left-right
    --date-order --author-date-order --topo-order --reverse --oneline --pretty? --format= --abbrev-commit
    --no-abbrev-commit --encoding= --expand-tabs? --no-expand-tabs --notes? --no-notes --show-notes?
    --standard-notes --no-standard-notes --relative-date --date= --parents --children --graph --no-graph
    --show-linear-break? --decorate? --no-decorate --decorate-refs= --decorate-refs-exclude= --clear-decorations
    --source --mailmap --no-mailmap --use-mailmap --no-use-mailmap --full-diff --log-size --cc --combined-all-paths
    --follow --no-walk? --do-walk --diff-merges= --no-diff-merges
    """
)
GIT = {
    "status": Tool(
        """
        -sbvz -u? -M? --short --branch --show-stash --porcelain? --long --verbose --null --untracked-files?
        --ignored? --ignore-submodules? --column? --no-column --ahead-behind --no-ahead-behind --renames
        --no-renames --find-renames?
        """,
        help=False,
    ),
    "log": Tool(_GIT_LOG, judge=_git_history, help=False),
    "show": Tool(_GIT_LOG, judge=_git_history, help=False),
    "diff": Tool(
        _GIT_DIFF + " -0123 --cached --staged --merge-base --no-index --base --ours --theirs --cc",
        judge=_git_diff,
        help=False,
    ),
    "branch": Tool(
        """
        -arlvi --all --remotes --list --verbose --show-current --contains~ --no-contains~ --merged~ --no-merged~
        --points-at= --sort= --no-sort --format= --column? --no-column --color? --no-color --abbrev? --no-abbrev
        --ignore-case --omit-empty
        """,
        judge=_git_references,
        help=False,
    ),
    "tag": Tool(
        """
        -li -n? --list --contains~ --no-contains~ --merged~ --no-merged~ --points-at= --sort= --no-sort --format=
        --column? --no-column --color? --no-color --ignore-case --omit-empty
        """,
        judge=_git_references,
        help=False,
    ),
    "remote": Tool("-v --verbose", most=0, help=False),
    "remote show": Tool("-n", judge=_git_remote_show, help=False),
    "remote get-url": Tool("--push --all", most=1, help=False),
    "config": Tool(
        """
        -lz -f: --list --null --get --get-all --get-regexp --get-urlmatch --show-origin --show-scope --name-only
        --global --system --local --worktree --file= --blob= --includes --no-includes --type= --bool --int
        --bool-or-int --bool-or-str --path --expiry-date --default= --fixed-value
        """,
        most=2,
        judge=_git_config,
        help=False,
    ),
    "config list": Tool(
        """
        -z -f: --null --show-origin --show-scope --name-only --global --system --local --worktree --file= --blob=
        --includes --no-includes --type=
        """,
        most=0,
        help=False,
    ),
    "config get": Tool(
        """
        -z -f: --null --show-origin --show-scope --show-names --no-show-names --global --system --local --worktree
        --file= --blob= --includes --no-includes --type= --all --regexp --value= --fixed-value --url= --default=
        """,
        most=1,
        help=False,
    ),
    "stash list": Tool(_GIT_LOG, judge=_git_history, help=False),
    "stash show": Tool(_GIT_DIFF + " --include-untracked --only-untracked", help=False),
    "reflog": Tool(_GIT_LOG, judge=_git_reflog, help=False),
    "reflog show": Tool(_GIT_LOG, judge=_git_history, help=False),
    "reflog exists": Tool(help=False),
    "worktree list": Tool("-vz --verbose --porcelain --expire=", most=0, help=False),
    "submodule": Tool("--quiet --cached", most=0, help=False),
    "submodule status": Tool("--quiet --cached --recursive", help=False),
    "rev-parse": Tool(
        """
        -q --abbrev-ref? --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir
        --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --short? --verify
        --quiet --symbolic --symbolic-full-name --all --branches? --tags? --remotes? --glob= --exclude= --default=
        --flags --no-flags --revs-only --no-revs --not --show-superproject-working-tree --show-object-format?
        --show-ref-format --path-format= --git-path= --since= --after= --until= --before= --disambiguate=
        --local-env-vars --shared-index-path
        """,
        free=True,
        help=False,
    ),
    "ls-files": Tool(
        """
        -cdmoisuktvfz -x: -X: --cached --deleted --modified --others --ignored --stage --unmerged --killed
        --directory --no-empty-directory --empty-directory --eol --deduplicate --exclude= --exclude-from=
        --exclude-per-directory= --exclude-standard --error-unmatch --with-tree= --full-name --recurse-submodules
        --abbrev? --debug --format= --resolve-undo --sparse
        """,
        free=True,
        help=False,
    ),
    "blame": Tool(
        """
        -bceflnpstw -C? -M? -L: -S: --root --show-stats --first-parent --porcelain --line-porcelain --incremental
        --encoding= --date= --score-debug --show-name --show-number --show-email --ignore-rev= --ignore-revs-file=
        --color-lines --color-by-age --minimal --abbrev= --since= --progress --no-progress
        """,
        help=False,
    ),
    "describe": Tool(
        """
        --all --tags --contains --abbrev= --candidates= --exact-match --debug --long --match= --exclude= --always
        --first-parent --dirty?
        """,
        help=False,
    ),
    "grep": Tool(
        """
        -# -aiIrvhHlLcnopqwzEGPFW -A: -B: -C: -e: -f: -m: --text --no-textconv --ignore-case --word-regexp
        --invert-match --full-name --line-number --column --files-with-matches --name-only --files-without-match
        --null --only-matching --count --color? --no-color --break --heading --show-function --function-context
        --context= --after-context= --before-context= --threads= --max-depth= --max-count= --and --or --not
        --all-match --quiet --cached --untracked --no-index --exclude-standard --no-exclude-standard
        --recurse-submodules --no-recursive --recursive --basic-regexp --extended-regexp --perl-regexp
        --fixed-strings
        """,
        help=False,
    ),
    "cat-file": Tool("-tspe --allow-unknown-type --mailmap --use-mailmap", most=2, help=False),
    "merge-base": Tool("-a --all --octopus --independent --is-ancestor --fork-point", free=True, help=False),
}
TOOLS = {
    "git": Tool(judge=_git),
    "cd": Tool("-LPe@", most=1, free=True, judge=_cd),
    "ls": Tool(
        """
        -aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ1 -I: -T: -w: --all --almost-all --author --escape --block-size=
        --ignore-backups --color? --directory --dired --classify? --file-type --format= --full-time
        --group-directories-first --no-group --human-readable --si --dereference-command-line
        --dereference-command-line-symlink-to-dir --hide= --hyperlink? --indicator-style= --inode --ignore=
        --kibibytes --dereference --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name
        --quoting-style= --reverse --recursive --size --sort= --time= --time-style= --tabsize= --width= --context
        --zero
        """,
        free=True,
    ),
    "cat": Tool(
        """
        -AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting
        """,
        reads=0,
        free=True,
    ),
    "head": Tool("-# -qvz -c: -n: --bytes= --lines= --quiet --silent --verbose --zero-terminated", reads=0, free=True),
    "tail": Tool(
        "-# -qvz -c: -n: --bytes= --lines= --quiet --silent --verbose --zero-terminated", reads=0, judge=_tail
    ),
    "wc": Tool("-cmlLw --bytes --chars --lines --max-line-length --words --total=", reads=0, free=True),
    "grep": Tool(
        """
        -# -EFGPiywxzsvVbnHhoqaIrRLlcTZuU -e: -f: -m: -A: -B: -C: -d: -D: --extended-regexp --fixed-strings
        --basic-regexp --perl-regexp --regexp= --file= --ignore-case --no-ignore-case --word-regexp --line-regexp
        --null-data --no-messages --invert-match --max-count= --byte-offset --line-number --line-buffered
        --with-filename --no-filename --label= --only-matching --quiet --silent --binary-files= --text
        --directories= --devices= --recursive --dereference-recursive --include= --exclude= --exclude-from=
        --exclude-dir= --files-without-match --files-with-matches --count --initial-tab --null --before-context=
        --after-context= --context= --group-separator= --no-group-separator --color? --colour? --binary
        """,
        reads=1,
        free=True,
        judge=_grep,
    ),
    "rg": Tool(
        """
        -cFHiIlLnNopPqsSuUvVwx0a. -A: -B: -C: -e: -f: -g: -j: -m: -M: -r: -t: -T: -d: -E: --after-context=
        --before-context= --context= --count --count-matches --regexp= --file= --fixed-strings --glob= --iglob=
        --glob-case-insensitive --hidden --no-hidden --ignore-case --smart-case --case-sensitive --files
        --files-with-matches --files-without-match --follow --no-follow --heading --no-heading --line-number
        --no-line-number --column --no-column --byte-offset --max-count= --max-depth= --max-columns=
        --max-columns-preview --max-filesize= --multiline --multiline-dotall --no-multiline --no-ignore
        --no-ignore-vcs --no-ignore-parent --no-ignore-dot --no-ignore-global --no-ignore-exclude --no-ignore-files
        --ignore-file= --no-config --no-messages --null --null-data --only-matching --passthru --pcre2 --no-pcre2
        --pretty --quiet --replace= --sort= --sortr= --stats --no-stats --text --threads= --trim --no-trim --type=
        --type-not= --type-list --type-add= --type-clear= --unrestricted --vimgrep --with-filename --no-filename
        --word-regexp --line-regexp --invert-match --color= --colors= --context-separator= --no-context-separator
        --field-context-separator= --field-match-separator= --crlf --encoding= --engine= --include-zero --json
        --line-buffered --block-buffered --mmap --no-mmap --one-file-system --path-separator= --binary --no-binary
        --unicode --no-unicode --no-pre --no-search-zip
        """,
        judge=_rg,
    ),
    "find": Tool(judge=_find),
    "stat": Tool("-Lft -c: --printf= --format= --cached= --dereference --file-system --terse", free=True),
    "file": Tool(
        """
        -biLhk0ElNnrv -F: -e: -P: --mime --mime-type --mime-encoding --brief --dereference --no-dereference
        --extension --apple --keep-going --separator= --print0 --no-pad --no-buffer --raw --list --exclude=
        --exclude-quiet= --parameter=
        """,
        reads=0,
    ),
    "du": Tool(
        """
        -0abcDhHklLmPSsx -B: -d: -t: -X: --all --apparent-size --block-size= --bytes --total --dereference-args
        --max-depth= --human-readable --inodes --dereference --count-links --no-dereference --null --separate-dirs
        --si --summarize --threshold= --time? --time-style= --exclude-from= --exclude= --one-file-system
        """,
        free=True,
    ),
    "df": Tool(
        """
        -ahHiklmPTv -B: -t: -x: --all --block-size= --human-readable --si --inodes --local --portability --print-type
        --type= --exclude-type= --no-sync --output? --total
        """,
        free=True,
    ),
    "pwd": Tool("-LP", free=True),
    "which": Tool("-as --all", free=True),
    "type": Tool("-afpPt", free=True),
    "date": Tool(
        """
        -uR -I? -d: -r: --date= --reference= --utc --universal --rfc-email --iso-8601? --rfc-3339= --debug
        --resolution
        """,
        most=1,
        judge=_date,
    ),
    "hostname": Tool(
        "-aAdfiIs --alias --all-fqdns --domain --fqdn --long --ip-address --all-ip-addresses --short", most=0
    ),
    "uname": Tool(
        """
        -asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor
        --hardware-platform --operating-system
        """,
        most=0,
    ),
    "whoami": Tool(most=0),
    "id": Tool("-agGnruzZ --context --group --groups --name --real --user --zero", free=True),
    "sort": Tool(
        """
        -bdfgiMhnRrVcCmsuz -k: -S: -t: --ignore-leading-blanks --dictionary-order --ignore-case
        --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort
        --random-source= --reverse --sort= --version-sort --batch-size= --check? --debug --key= --merge --stable
        --buffer-size= --field-separator= --parallel= --unique --zero-terminated
        """,
        reads=0,
    ),
    "uniq": Tool(
        """
        -cdDiuz -f: -s: -w: --count --repeated --all-repeated? --skip-fields= --group? --ignore-case --skip-chars=
        --unique --zero-terminated --check-chars=
        """,
        reads=0,
        most=1,  # the second one is written
    ),
    "cut": Tool(
        """
        -nsz -b: -c: -d: -f: --bytes= --characters= --delimiter= --fields= --complement --only-delimited
        --output-delimiter= --zero-terminated
        """,
        reads=0,
        free=True,
    ),
    "tr": Tool("-cCdst --complement --delete --squeeze-repeats --truncate-set1", reads=2, most=2, free=True),
    "nl": Tool(
        """
        -p -b: -d: -f: -h: -i: -l: -n: -s: -v: -w: --body-numbering= --section-delimiter= --footer-numbering=
        --header-numbering= --line-increment= --join-blank-lines= --number-format= --no-renumber --number-separator=
        --starting-line-number= --number-width=
        """,
        reads=0,
        free=True,
    ),
    "diff": Tool(
        """
        -0123456789qscuenyptTrNiEZbwBad -L: -C: -U: -W: -F: -x: -X: -S: -I: -D: --normal --brief
        --report-identical-files --context? --unified? --ed --rcs --side-by-side --width= --left-column
        --suppress-common-lines --suppress-blank-empty --show-c-function --show-function-line= --label= --expand-tabs
        --initial-tab --tabsize=
        --recursive --no-dereference --new-file --unidirectional-new-file --ignore-file-name-case
        --no-ignore-file-name-case --exclude= --exclude-from= --starting-file= --from-file= --to-file= --ignore-case
        --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines
        --ignore-matching-lines= --text --strip-trailing-cr --ifdef= --minimal --horizon-lines= --speed-large-files
        --color? --palette= --line-format=
        """,
        reads=0,
    ),
    "cmp": Tool(
        "-bls -i: -n: --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent",
        reads=0,
        free=True,
        judge=_cmp,
    ),
    "comm": Tool(
        "-123z --check-order --nocheck-order --output-delimiter= --total --zero-terminated", reads=0, free=True
    ),
    "jq": Tool(
        """
        -rcnsSejaCMR -h --raw-output --raw-output0 --compact-output --null-input --slurp --sort-keys --exit-status
        --join-output --ascii-output --color-output --monochrome-output --raw-input --tab --indent= --seq --stream
        --unbuffered
        """,
        reads=1,
        free=True,
        judge=_jq,
    ),
    "basename": Tool("-az -s: --multiple --suffix= --zero", free=True),
    "dirname": Tool("-z --zero", free=True),
    "realpath": Tool(
        """
        -emLPqsz --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip --no-symlinks
        --relative-to= --relative-base= --zero
        """,
        free=True,
    ),
    "readlink": Tool(
        """
        -femnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent
        --verbose --zero
        """,
        free=True,
    ),
    "tree": Tool(
        """
        -adfxqNQpugshDFvtcUriASnCXJl -L: -P: -I: --noreport --charset= --filelimit= --timefmt= --inodes --device
        --dirsfirst --filesfirst --sort= --nolinks --du --prune --si --gitignore --matchdirs --ignore-case --info
        """,
        judge=_tree,
    ),
    "echo": Tool(judge=_anything),
    "printf": Tool(judge=_printf),
    "true": Tool(judge=_anything),
    "false": Tool(judge=_anything),
    "test": Tool(judge=_test),
    "[": Tool(judge=_bracket),
    "command": Tool(judge=_query),
    "sed": Tool("-n", reads=1, judge=_sed),
}

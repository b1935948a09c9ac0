"""The one table of commands that run another command: what they take, and where in it the other one is.

`WRAPPERS` has a row for each. A row names the way to find what is run, and what this way needs:

- `words` (and `env`, an option of which has such words in a text): the words after the options, and after `operands`
  further words, are a command;
- `text`: those words, joined, are a text for a shell;
- `either`: a single word is a text for a shell, several are a command;
- `texts`: each of those words is a text for a shell;
- `shell`: a shell: `-c` and a text, or a script, or its standard input;
- `stdin`: the standard input is a text for a shell;
- `find`: the words from an option (`values`) up to `;` or `+` are a command;
- `xargs`, `parallel`: a command, to which more words are added;
- `code`: an interpreter of another language, whose code is in the values of options (`texts`), in the first word after
  them (`operands` is 1), in a file or in its standard input;
- `anywhere`: the command begins with the first word that is the client;
- `package`: the word after the options is a package or a command of one.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .words import Argument


class Wrapper:
    """A row of the table; a command that has several ways has a tuple of them.

    Attributes:
        way: see the module.
        values: options that take a value, blanks around each.
        operands: how many words that are no options stand before the command.
        actions: the command must begin with one of these, as in `docker exec`; options may stand before.
        texts: options whose value is a text for a shell (or code).
        sets: options whose value is `NAME=VALUE` for the environment.
        unsets: options whose value is a name to be removed from the environment.
        clears: options that empty the environment.
        direct: options with which the words are a command, where they are a text otherwise.
        queries: options with which nothing is run.
        programs: options whose value is the command's name, before the words.
        folders: options whose value is the folder that the command runs in.
        drops: the environment does not reach the command, except with one of the options in `keeps`, whose value, if
            there is one, lists the variables that do.
        strict: the command's own options end at the first operand.
        assigns: leading words `NAME=VALUE` are for the environment of the command.
        remote: the command runs on another machine or in a container.
        inside: functions and builtins of the shell can be run.
        bare: builtins but no functions.
        reads: without a command it starts a shell, which reads the standard input.
    """

    __slots__ = (
        "_clears", "_direct", "_folders", "_keeps", "_programs", "_queries", "_sets", "_texts", "_unsets", "_values",
        "actions", "assigns", "bare", "drops", "inside", "operands", "reads", "remote", "strict", "way",
    )  # fmt: skip

    def __init__(
        self,
        way: str,
        values: str = "",
        operands: int = 0,
        *,
        actions: str = "",
        texts: str = "",
        sets: str = "",
        unsets: str = "",
        clears: str = "",
        direct: str = "",
        queries: str = "",
        folders: str = "",
        programs: str = "",
        strict: bool = False,
        drops: bool = False,
        keeps: str = "",
        assigns: bool = False,
        remote: bool = False,
        inside: bool = False,
        bare: bool = False,
        reads: bool = False,
    ) -> None:
        self.way = way
        self._values = f" {values} {texts} {sets} {unsets} {folders} {programs} "
        self.operands = operands
        self.actions = actions
        self._texts = f" {texts} "
        self._sets = f" {sets} "
        self._unsets = f" {unsets} "
        self._programs = f" {programs} "
        self._folders = f" {folders} "
        self.strict = strict
        self._clears = f" {clears} "
        self._direct = f" {direct} "
        self._queries = f" {queries} "
        self.drops = drops
        self._keeps = f" {keeps} "
        self.assigns = assigns
        self.remote = remote
        self.inside = inside or bare
        self.bare = bare
        self.reads = reads

    def takes(self, option: str) -> bool:
        """Whether an option takes a value."""
        return f" {option} " in self._values

    def reads_text(self, option: str) -> bool:
        """Whether the value of an option is a text for a shell, or code."""
        return f" {option} " in self._texts

    def sets(self, option: str) -> bool:
        """Whether the value of an option is `NAME=VALUE` for the environment, or the name of a variable to pass on."""
        return f" {option} " in self._sets

    def unsets(self, option: str) -> bool:
        """Whether the value of an option is a name to be removed from the environment."""
        return f" {option} " in self._unsets

    def directs(self, option: str) -> bool:
        """Whether the words are a command with this option."""
        return _among(option, self._direct)

    def queries(self, option: str) -> bool:
        """Whether nothing is run with this option."""
        return f" {option} " in self._queries

    def names_program(self, option: str) -> bool:
        """Whether the value of an option is the name of the command."""
        return f" {option} " in self._programs

    def enters(self, option: str) -> bool:
        """Whether the value of an option is the folder that the command runs in."""
        return f" {option} " in self._folders

    def clears(self, option: str) -> bool:
        """Whether an option, or one of several in a word, empties the environment."""
        return _among(option, self._clears)

    def kept(self, given: list[Argument]) -> list[str] | None:
        """The variables that reach the command, by the options that it begins with; None for all of them."""
        names: list[str] = []
        at = 0 if self.drops else len(given)
        while at < len(given) and given[at].text.startswith("-"):
            option, equals, listed = given[at].text.partition("=")
            if _among(option, self._keeps):
                if not equals:
                    return None
                names += listed.split(",")
            name, value = self.option(given[at])
            at += 2 if self.takes(name) and value is None else 1
        return names if self.drops else None

    def option(self, argument: Argument) -> tuple[str, Argument | None]:
        """An option's name, of several in a word the one that takes a value; and its value where the word holds it."""
        text = argument.text
        if self.takes(text):
            return text, None
        if text.startswith("--"):
            name, equals, _ = text.partition("=")
            return name, argument.after(len(name) + 1) if equals else None
        for at in range(1, len(text)):
            if self.takes("-" + text[at]):
                return "-" + text[at], argument.after(at + 1) if at + 1 < len(text) else None
        return text, None

    def after_actions(self, given: list[Argument]) -> list[Argument]:
        """The words without the action, which must be one of the row's; nothing where it is another.

        Several may stand in one command, `;` between them, as tmux has it; the first of the row's counts.
        """
        if not self.actions or not given:
            return given
        at = 0
        while at < len(given) and given[at].text.startswith("-"):
            at += 2 if self.takes(given[at].text) else 1
        end = next((index for index, one in enumerate(given) if index >= at and one.text == ";"), len(given))
        for action in self.actions.split(", "):
            words = action.split()
            if [one.text for one in given[at : at + len(words)]] == words:
                return [*given[:at], *given[at + len(words) : end]]
        return self.after_actions(given[end + 1 :])


def _among(option: str, listed: str) -> bool:
    if f" {option} " in listed:
        return True
    return option[:1] == "-" and option[1:2] != "-" and any(f" -{letter} " in listed for letter in option[1:])


_ENV = Wrapper(
    "env", "-a --argv0 --block-signal --default-signal --ignore-signal", assigns=True, texts="-S --split-string",
    folders="-C --chdir", unsets="-u --unset", clears="- -i --ignore-environment",
)  # fmt: skip
_SUDO = Wrapper(
    "words",
    "-a -C -c -g -h -p -R -r -T -t -U -u --chroot --close-from --command-timeout --group --host --other-user --prompt"
    " --role --type --user",
    folders="-D --chdir", assigns=True, drops=True, reads=True, keeps="-E --preserve-env",
    queries="-l -e -v -K -k --list --edit --validate",
)  # fmt: skip
_SU = Wrapper(
    "none", "-g -G -s -w -T --group --shell", texts="-c --command --session-command", clears="- -l --login", reads=True
)
_CONTAINER = Wrapper(
    "words",
    "-H --host -l --log-level -c --context --config -u --user -w --workdir --detach-keys --env-file --name -v --volume"
    " -p --publish --network --net --mount -h --hostname -m --memory --cpus --platform --label --add-host"
    " --restart --gpus --ipc --pid --shm-size --tmpfs --ulimit --device --cap-add --cap-drop --security-opt --dns"
    " --link --volumes-from --runtime --pull --index -f --file --project-name --profile --project-directory",
    1, actions="exec, run, container exec, container run, compose exec, compose run", sets="-e --env", drops=True,
    remote=True, strict=True, programs="--entrypoint",
)  # fmt: skip
_KUBERNETES = Wrapper(
    "words", "-c --container -n --namespace --context --kubeconfig -f --filename --image --env", 1,
    actions="exec, run", drops=True, remote=True,
)  # fmt: skip
_TMUX_VALUES = "-f -L -S -F -n -s -t -x -y -l -p -T"
_TMUX = Wrapper(
    "either",
    _TMUX_VALUES,
    actions="new-session, new, new-window, neww, split-window, splitw, respawn-pane, respawnp, respawn-window,"
    " respawnw, display-popup, popup, run-shell, run, pipe-pane, pipep",
    sets="-e",
    folders="-c", drops=True,
)  # fmt: skip
_TMUX_KEYS = Wrapper("texts", _TMUX_VALUES + " -c", actions="send-keys, send", drops=True)
_TMUX_IF = Wrapper("texts", _TMUX_VALUES, actions="if-shell, if", drops=True)
_SCREEN = Wrapper("either", "-c -e -h -p -S -s -T -t -X", drops=True)
_SCREEN_KEYS = Wrapper("texts", "-c -e -h -p -S -s -T -t", actions="stuff", drops=True)
_SHELL = Wrapper("shell", "-o +o -O +O --rcfile --init-file")
_PACKAGE_VALUES = "-p --package -w --workspace --prefix --cache --registry --userconfig"
_RUNNER = Wrapper("package", _PACKAGE_VALUES, texts="-c --call")
_PLAIN = Wrapper("words")
_ONE = Wrapper("words", operands=1)
_NODE = Wrapper("code", "-r --require --import --loader --env-file", texts="-e --eval -p --print -pe")
_PYTHON = Wrapper("code", "-W -X --check-hash-based-pycs", texts="-c", queries="-m")
_AWK = Wrapper("code", "-F -v -f --assign --field-separator", 1, texts="-e --source")
_RETRY = "-t -n -d --times --delay --tries"
_RUNUSER_VALUES = "-g -G -s -w --group --shell"

WRAPPERS: dict[str, Wrapper | tuple[Wrapper, ...]] = {
    # Shells, and builtins that read a text.
    **dict.fromkeys(("bash", "sh", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash", "csh", "tcsh"), _SHELL),
    "eval": Wrapper("text", inside=True),
    "source": Wrapper("script", inside=True),
    ".": Wrapper("script", inside=True),
    **dict.fromkeys(("cmd", "cmd.exe"), Wrapper("text", operands=1)),
    **dict.fromkeys(("pwsh", "powershell", "powershell.exe"), Wrapper("none", texts="-c -Command -command")),
    "Start-Process": _PLAIN,
    "trap": Wrapper("first", inside=True),
    "alias": Wrapper("alias", inside=True),
    "command": Wrapper("words", queries="-v -V", bare=True),
    "builtin": Wrapper("words", bare=True),
    "exec": Wrapper("words", "-a", clears="-c"),
    # What runs a command with something of it changed.
    "env": _ENV,
    "nohup": _PLAIN,
    "setsid": _PLAIN,
    "nice": Wrapper("words", "-n --adjustment"),
    "ionice": Wrapper("words", "-c -n -p -P -u --class --classdata"),
    "chrt": Wrapper("words", "-T -P -D", 1),
    "taskset": _ONE,
    "numactl": Wrapper("words", "-i -N -m -C -p"),
    "stdbuf": Wrapper("words", "-i -o -e --input --output --error"),
    "unbuffer": _PLAIN,
    "timeout": Wrapper("words", "-k -s --kill-after --signal", 1),
    "gtimeout": Wrapper("words", "-k -s --kill-after --signal", 1),
    "time": Wrapper("words", "-o -f --output --format"),
    "gtime": Wrapper("words", "-o -f --output --format"),
    "prlimit": Wrapper("words", "-p --pid"),
    "setarch": _ONE,
    "linux64": _PLAIN,
    "linux32": _PLAIN,
    "arch": _PLAIN,
    "cpulimit": Wrapper("words", "-l -p -e --limit"),
    "caffeinate": Wrapper("words", "-t -w"),
    "systemd-inhibit": Wrapper("words", "--what --who --why --mode"),
    "flock": Wrapper("either", "-E -w --conflict-exit-code --timeout", 1, texts="-c --command"),
    "lockf": Wrapper("words", "-t", 1),
    "chronic": _PLAIN,
    "ifne": _PLAIN,
    "retry": (Wrapper("words", _RETRY), Wrapper("words", _RETRY, 1)),
    "rlwrap": Wrapper("words", "-a -C -f -H -s"),
    "winpty": _PLAIN,
    "xvfb-run": Wrapper("words", "-e -f -n -p -s -w"),
    "dbus-run-session": Wrapper("words", "--config-file --dbus-daemon"),
    "fakeroot": Wrapper("words", "-l -s -i -b"),
    "firejail": _PLAIN,
    "proxychains": Wrapper("words", "-f"),
    "proxychains4": Wrapper("words", "-f"),
    "torsocks": Wrapper("words", "-u -p -P -a"),
    "strace": Wrapper("words", "-a -b -e -E -I -o -O -p -P -s -S -u -U -X"),
    "ltrace": Wrapper("words", "-a -A -D -e -F -l -n -o -p -s -u -w -x"),
    "perf": Wrapper("words", "-e -o -p -t -C -F -r --event --output", actions="stat, record, trace"),
    "valgrind": _PLAIN,
    "watch": Wrapper("text", "-n --interval -q --equexit", direct="-x --exec"),
    "entr": Wrapper("either"),
    "faketime": _ONE,
    **dict.fromkeys(("tsp", "ts", "nq"), Wrapper("words", "-L -D -W -N")),
    "pueue": Wrapper("either", "-g --group -d --delay -l --label -a --after -w --working-directory", actions="add"),
    "pm2": Wrapper("package", "-n --name -i --instances --cwd --interpreter", actions="start"),
    "gdb": Wrapper("anywhere"),
    "cgexec": Wrapper("words", "-g"),
    "start": Wrapper("anywhere"),
    **dict.fromkeys(("wt", "wt.exe"), Wrapper("anywhere")),
    "watchexec": Wrapper("either", "-w -W -e -f -i -d -s -o --watch --exts --filter --ignore"),
    "nodemon": Wrapper("none", "-w -e -i --watch --ext --ignore", texts="-x --exec"),
    "busybox": _PLAIN,
    "toybox": _PLAIN,
    "script": Wrapper("words", "-E -I -O -B -o -T -m --echo --log-in --log-out", 1, texts="-c --command"),
    "start-stop-daemon": Wrapper("package", "-p -n -u -c -d --pidfile --name --user --chuid --chdir"),
    "daemonize": Wrapper("words", "-a -c -e -o -p -l -u"),
    "tini": Wrapper("words", "-p -e"),
    "dumb-init": Wrapper("words", "-r"),
    # Another user, another machine, another environment.
    "sudo": _SUDO,
    "doas": Wrapper("words", "-C -u -a", drops=True),
    "pkexec": Wrapper("words", "--user", drops=True),
    "su": _SU,
    "runuser": (
        Wrapper("words", _RUNUSER_VALUES + " -u --user"),
        Wrapper("none", _RUNUSER_VALUES + " -u --user", texts="-c --command", clears="- -l --login"),
    ),
    "gosu": _ONE,
    "su-exec": _ONE,
    "setpriv": Wrapper("words", "--reuid --regid --groups --inh-caps --ambient-caps --bounding-set"),
    "chroot": Wrapper("words", operands=1, remote=True),
    "unshare": Wrapper("words", "-R -w -S -G --root --wd --setuid --setgid"),
    "nsenter": Wrapper("words", "-t -S -G --target"),
    "bwrap": Wrapper("anywhere"),
    "devcontainer": Wrapper(
        "words", "--workspace-folder --config --container-id --id-label --remote-env", actions="exec", drops=True,
        remote=True,
    ),
    "gh": Wrapper(
        "text", "-c --codespace -R --repo --profile", actions="codespace ssh, cs ssh", drops=True, remote=True,
    ),
    **dict.fromkeys(
        ("fly", "flyctl"),
        Wrapper("none", "-a --app", actions="ssh console", texts="-C --command", drops=True, remote=True),
    ),
    "heroku": Wrapper("text", "-a --app -s --size", actions="run, run:detached", drops=True, remote=True),
    "machinectl": Wrapper("words", operands=1, actions="shell", drops=True, remote=True),
    "sops": Wrapper("text", operands=1, actions="exec-env, exec-file"),
    "pixi": Wrapper("words", "-e --environment --manifest-path", actions="run"),
    "ssh": Wrapper(
        "text",
        "-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -P -p -Q -R -S -W -w",
        1, drops=True, remote=True, reads=True,
    ),
    "gcloud": Wrapper(
        "text", "--zone --project --ssh-key-file --account --configuration --container --ssh-flag", 1,
        actions="compute ssh", texts="--command", drops=True, remote=True,
    ),
    "mosh": Wrapper("words", "--ssh -p", 1, drops=True, remote=True),
    "wsl": Wrapper("words", "-d -u --distribution --user --cd", drops=True, remote=True),
    "wsl.exe": Wrapper("words", "-d -u --distribution --user --cd", drops=True, remote=True),
    "docker": _CONTAINER,
    "podman": _CONTAINER,
    "nerdctl": _CONTAINER,
    "docker-compose": _CONTAINER,
    "kubectl": _KUBERNETES,
    "oc": _KUBERNETES,
    "lxc": Wrapper("words", "--env --cwd --user", 1, actions="exec", drops=True, remote=True),
    "vagrant": Wrapper("none", actions="ssh", texts="-c --command", drops=True, remote=True),
    "systemd-run": Wrapper(
        "words", "-p -u -H -M -t --property --unit --slice --description --uid --gid --on-active"
        " --on-calendar --service-type", folders="--working-directory", sets="-E --setenv", drops=True,
    ),
    "flatpak-spawn": Wrapper("words", drops=True),
    # Terminals.
    "tmux": (_TMUX, _TMUX_KEYS, _TMUX_IF),
    "screen": (_SCREEN, _SCREEN_KEYS),
    "zellij": Wrapper("words", "-n -d --name --cwd --direction", actions="run, action new-pane", drops=True),
    "xterm": Wrapper("find", "-e"),
    "konsole": Wrapper("find", "-e"),
    "alacritty": Wrapper("find", "-e --command"),
    "xfce4-terminal": Wrapper("find", "-x"),
    "gnome-terminal": Wrapper("dashes"),
    "wezterm": Wrapper("dashes"),
    "kitty": Wrapper("words", "-T -d -o -c --title --directory --override"),
    "foot": Wrapper("words", "-T -D -a --title --working-directory"),
    # Later, or again and again.
    "at": Wrapper("stdin"),
    "batch": Wrapper("stdin"),
    "crontab": Wrapper("cron"),
    "find": Wrapper("find", "-exec -execdir -ok -okdir"),
    "fd": Wrapper("find", "-x -X --exec --exec-batch"),
    "fdfind": Wrapper("find", "-x -X --exec --exec-batch"),
    "xargs": Wrapper(
        "xargs", "-a -d -E -I -L -n -P -s --arg-file --delimiter --max-args --max-lines --max-procs --max-chars"
    ),
    "parallel": Wrapper(
        "parallel", "-j -P -a -n -N -L -S -I -d --jobs --max-procs --arg-file --colsep --delay --joblog --results"
        " --retries --tempdir --timeout --workdir --wd", direct="-q --quote",
    ),
    "sem": Wrapper("parallel", "-j --jobs --id"),
    "hyperfine": Wrapper("texts", "-w -m -M -r -u -n -S -L -P -D --warmup --runs --min-runs --max-runs --command-name"
        " --time-unit --style --shell --input --output --sort --reference --parameter-list --parameter-scan"
        " --parameter-step-size --export-json --export-csv --export-markdown --export-asciidoc --export-orgmode",
        texts="-p -c -s --prepare --cleanup --setup --conclude"),
    "concurrently": Wrapper("texts", "-n -c -s --names --prefix-colors"),
    "npm-run-all": Wrapper("texts"),
    "git": (
        Wrapper("words", "-C -c --git-dir --work-tree", actions="bisect run"),
        Wrapper("either", "-C -c --git-dir --work-tree", actions="submodule foreach"),
        Wrapper("none", "-C -c --git-dir --work-tree", actions="rebase", texts="-x --exec"),
    ),
    "launchctl": Wrapper("dashes"),
    # Package runners and version managers.
    **dict.fromkeys(("npx", "bunx", "pnpx", "pnpm-dlx"), _RUNNER),
    "npm": Wrapper("package", _PACKAGE_VALUES, actions="exec, x", texts="-c --call"),
    "pnpm": Wrapper("package", _PACKAGE_VALUES + " --filter -F", actions="dlx, exec", texts="-c", folders="-C --dir"),
    "yarn": (
        Wrapper("package", _PACKAGE_VALUES, actions="dlx, exec, run", folders="--cwd"),
        Wrapper("package", _PACKAGE_VALUES, folders="--cwd"),
    ),
    "bun": (
        Wrapper("package", _PACKAGE_VALUES, actions="x, run", folders="--cwd"),
        Wrapper("code", _PACKAGE_VALUES, texts="-e --eval"),
    ),
    "deno": (
        Wrapper("package", "-c -L --config --import-map --env-file", actions="run, x"),
        Wrapper("code", operands=1, actions="eval"),
    ),
    "nix": Wrapper("package", "-f --file -I --option", actions="run, shell, develop"),
    "nix-shell": Wrapper("none", "-p -A -I --packages", texts="--run --command"),
    "corepack": Wrapper("words"),
    "uv": Wrapper(
        "words", "--with --python -p --project --env-file --extra --group", actions="run, x", folders="--directory",
    ),
    "poetry": Wrapper("words", "-C -P --directory --project", actions="run"),
    "pipenv": Wrapper("words", actions="run"),
    "pdm": Wrapper("words", "-p --project", actions="run"),
    "hatch": Wrapper("words", "-e --env", actions="run"),
    "rye": Wrapper("words", actions="run"),
    "conda": Wrapper("words", "-n -p --name --prefix --cwd", actions="run"),
    "mamba": Wrapper("words", "-n -p --name --prefix --cwd", actions="run"),
    "micromamba": Wrapper("words", "-n -p --name --prefix --cwd", actions="run"),
    "bundle": Wrapper("words", actions="exec"),
    "rbenv": Wrapper("words", actions="exec"),
    "pyenv": Wrapper("words", actions="exec"),
    "nodenv": Wrapper("words", actions="exec"),
    "asdf": Wrapper("words", actions="exec"),
    "nvm": Wrapper("words", operands=1, actions="exec, run"),
    "fnm": Wrapper("words", "--using", actions="exec"),
    "volta": Wrapper("words", "--node --npm --yarn", actions="run"),
    "mise": Wrapper("dashes", texts="-c --command"),
    "direnv": Wrapper("words", operands=1, actions="exec"),
    "devbox": Wrapper("words", "-c --config -e --env", actions="run"),
    "dotenv": Wrapper("words", "-f -e --file"),
    "dotenvx": Wrapper("words", "-f -e --env-file --env", actions="run"),
    "op": Wrapper("words", "--env-file --account", actions="run"),
    "doppler": Wrapper("words", "-p -c -t --project --config --token", actions="run", texts="--command"),
    "infisical": Wrapper("words", "--env --path --projectId", actions="run", texts="--command"),
    "aws-vault": Wrapper("words", "-d --duration", 1, actions="exec"),
    "chamber": Wrapper("words", operands=1, actions="exec"),
    "envdir": _ONE,
    # Interpreters of other languages.
    **dict.fromkeys(("python", "python3", "python2", "pypy", "pypy3", "ipython"), _PYTHON),
    **dict.fromkeys(("node", "nodejs", "tsx", "ts-node"), _NODE),
    "perl": Wrapper("code", "-I -M -m", texts="-e -E"),
    "ruby": Wrapper("code", "-I -r -C", texts="-e"),
    "php": Wrapper("code", "-d -c", texts="-r"),
    "lua": Wrapper("code", "-l", texts="-e"),
    "osascript": Wrapper("code", "-l", texts="-e"),
    "expect": Wrapper("code", texts="-c"),
    "tclsh": Wrapper("code"),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _AWK),
}  # fmt: skip

# Commands whose words are never run, whatever they look like.
DATA = (
    " cat cd chmod cp diff du echo egrep fgrep file gh git grep head jq less ln ls mkdir mv printf rg rm sed sort"
    " stat tail test touch tree type wc whereis which [ "
)


def runs_only_its_words(name: str) -> bool:
    """Whether a command of the table runs nothing but what stands in its words."""
    found = WRAPPERS[name]
    rows = found if isinstance(found, tuple) else (found,)
    return all(row.way in _OF_WORDS and not (row.reads or row.inside) for row in rows)


_OF_WORDS = ("words", "env", "text", "either", "texts", "none", "find", "package", "dashes")


def wrappers(name: str) -> tuple[Wrapper, ...]:
    """The rows of a command, given as name or path."""
    base = name.rpartition("/")[2]
    if base.startswith("python") and base[6:].replace(".", "").isdigit():
        return (_PYTHON,)
    found = WRAPPERS.get(base, ())
    return found if isinstance(found, tuple) else (found,)

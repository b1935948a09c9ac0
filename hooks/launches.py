"""Finding the commands in a text of the shell that start the client, wherever the shell would really run them.

The commands are followed in the order in which bash would meet them, with the variables they leave behind: `Finder.find`
returns a `Launch` for each start of the client with what is known of its arguments and its environment. What stands in a
text that another command runs (`bash -c`, a here-document fed to a shell, `ssh host '..'`) is read in its turn.
"""

from __future__ import annotations

from . import claude_cli, mentions
from .environment import Function, Shell, declares
from .shell import Unreadable, read
from .texts import Text, in_document, in_word, in_words
from .words import Argument, arguments, unknown, value
from .wrappers import Wrapper, wrappers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .claude_cli import Line
    from .shell import Command, Frame, Redirect, Word

_SHELLS = frozenset(("substitution", "process", "subshell", "pipe", "background", "coproc"))
_BRANCHES = frozenset(("and", "or", "then", "elif", "else", "body", "item", "function"))
_DEPTH = 16  # texts and wrappers in each other
_STEPS = 20_000  # commands followed, those of a function at each of its calls

_FLAGS = {"background": "--bg", "print": "-p"}

# Commands whose words are never run, whatever they look like.
_DATA = frozenset(
    (
        "cat cd chmod cp diff du echo egrep fgrep file gh git grep head jq less ln ls mkdir mv printf rg rm sed sort stat"
        " tail test touch tree type wc whereis which ["
    ).split()
)


class Launch:
    """A command that starts the client.

    Attributes:
        kind: `background` or `print`.
        line: its arguments.
        advisor, window: the two variables in its environment; None where they are not there.
        name: the argument that is the client's name.
        place: the text it stands in.
        directory: where it runs, None where that is not known.
        remote: it runs on another machine or in a container, with other files.
        stray: `NAME=VALUE` words that a command in front would try to run.
        how: for code and texts that cannot be read: what `mentions.settles` says of them; otherwise None.
    """

    __slots__ = ("advisor", "directory", "how", "kind", "line", "name", "place", "remote", "stray", "window")

    def __init__(self, kind: str, name: Argument, line: Line, place: Text) -> None:
        self.kind = kind
        self.name = name
        self.line = line
        self.place = place
        self.advisor: Argument | None = None
        self.window: Argument | None = None
        self.directory: str | None = None
        self.remote = False
        self.stray: list[Argument] = []
        self.how: str | None = None


class _Run:
    """One command about to be run.

    Attributes:
        shell: the environment it gets, as the child process that it would be.
        inside: the shell that runs it, where functions and builtins are available; None behind an external command.
        command: the command of the shell it stands in.
        place: the text that holds it.
        remote, stray: as in `Launch`.
        written: what it may get as further arguments.
    """

    __slots__ = ("command", "depth", "inside", "place", "remote", "shell", "stray")

    def __init__(self, shell: Shell, inside: Shell | None, command: Command, place: Text, depth: int) -> None:
        self.shell = shell
        self.inside = inside
        self.command = command
        self.place = place
        self.depth = depth
        self.remote = False
        self.stray: list[Argument] = []

    def behind(self) -> _Run:
        """The same for a command that another one, which is no builtin, runs."""
        run = _Run(self.shell.fork(), None, self.command, self.place, self.depth + 1)
        run.remote = self.remote
        run.stray = list(self.stray)
        return run


class Finder:
    """Follows a text and keeps what it finds.

    Attributes:
        launches: what was found.
        texts: the text and all texts in it that were read, the outermost first.
        files: what the commands themselves write into files: the texts by their path as written.
    """

    def __init__(self, text: str, kinds: list[str], directory: str | None) -> None:
        self.root = Text(text)
        self.kinds = kinds
        self.launches: list[Launch] = []
        self.texts = [self.root]
        self.files: dict[str, list[Text]] = {}
        self.steps = 0
        self.directory = directory
        self.mentioned = mentions.names_client(text)
        self.commands: dict[int, list[Command]] = {}  # of a text, by its identity
        self.lists: dict[int, list[Command]] = {}  # of the text of a frame, by the identity of its root frame

    def find(self) -> list[Launch]:
        """All launches.

        Raises:
            Unreadable: the text cannot be read.
        """
        self.follow(self.root, Shell(self.directory), 0)
        return self.launches

    # Following a text

    def follow(self, text: Text, shell: Shell, depth: int, remote: bool = False) -> None:
        """Follow a text in a shell, which it changes.

        Raises:
            Unreadable: the outermost text cannot be read, or there is too much to follow.
        """
        if text.parent is not None:
            self.texts.append(text)
        if depth > _DEPTH:
            raise Unreadable("too many commands in each other")
        try:
            commands = read(text.text)
        except Unreadable:
            if text.parent is None and text is self.root:
                raise
            self.unreadable(text)
            return
        if not commands:
            return
        self.lists[id(commands[0].frame.around()[-1])] = commands
        functions: list[Function] = []
        self.walk(commands, shell, text, commands[0].frame.around()[-1], depth, functions, remote)
        for function in functions:
            if not function.called:
                self.body(function, shell.fork(), depth, remote)

    def walk(
        self,
        commands: list[Command],
        shell: Shell,
        text: Text,
        base: Frame,
        depth: int,
        functions: list[Function],
        remote: bool,
    ) -> None:
        """Follow commands that stand in `base`, with a shell of its own for each construct that needs one."""
        open_frames: list[tuple[Frame, Shell]] = [(base, shell)]
        bodies: dict[int, Function] = {}
        for command in commands:
            chain = _chain(command.frame, base)
            function = next((frame for frame in chain if frame.kind == "function"), None)
            if function is not None:
                if id(function) not in bodies:
                    self.align(open_frames, chain[: chain.index(function)])
                    bodies[id(function)] = Function(function, text)
                    open_frames[-1][1].functions[function.name] = bodies[id(function)]
                    functions.append(bodies[id(function)])
                bodies[id(function)].commands.append(command)
                continue
            self.align(open_frames, chain)
            self.step(command, open_frames[-1][1], text, depth, remote)
        self.align(open_frames, [])

    def align(self, open_frames: list[tuple[Frame, Shell]], chain: list[Frame]) -> None:
        """Close the constructs that are over and open those that begin."""
        same = 0
        while same < len(chain) and same + 1 < len(open_frames) and open_frames[same + 1][0] is chain[same]:
            same += 1
        while len(open_frames) > same + 1:
            frame, shell = open_frames.pop()
            if frame.kind in _BRANCHES:
                open_frames[-1][1].maybe(shell)
        for frame in chain[same:]:
            open_frames.append((frame, open_frames[-1][1].fork()))

    def body(self, function: Function, shell: Shell, depth: int, remote: bool) -> None:
        """Follow the commands of a function in the shell that calls it."""
        function.called = True
        inner: list[Function] = []
        self.walk(function.commands, shell, function.place, function.frame, depth + 1, inner, remote)
        for one in inner:
            if not one.called:
                self.body(one, shell.fork(), depth + 1, remote)

    # One command

    def step(self, command: Command, shell: Shell, text: Text, depth: int, remote: bool) -> None:
        """Follow one command."""
        self.steps += 1
        if self.steps > _STEPS or depth > _DEPTH:
            raise Unreadable("too many commands to follow")
        if command.kind in ("for", "select"):
            values = arguments(command.words[1:], text, shell.lookup)
            if command.words:
                shell.set(command.words[0].text, [unknown(" ".join(one.written for one in values))])
        elif command.kind == "assign":
            for assignment in command.assignments:
                shell.set(assignment.name, [unknown(assignment.value.text)])
        elif command.kind == "simple":
            self.simple(command, shell, text, depth, remote)

    def simple(self, command: Command, shell: Shell, text: Text, depth: int, remote: bool) -> None:
        if not command.words:
            for assignment in command.assignments:
                shell.assign(assignment, text)
            return
        if not command.words[0].dynamic and declares(command.words[0].text):
            shell.declare(command.words[0].text, command.words[1:], text)
            return
        given = arguments(command.words, text, shell.lookup)
        self.written(command, given, shell, text)
        if not given:
            return
        inside = shell
        if command.assignments:
            inside = shell.fork()
            for assignment in command.assignments:
                inside.assign(assignment, text, export=True)
        run = _Run(inside, inside, command, text, depth)
        run.remote = remote
        self.run(given, run)

    def run(self, given: list[Argument], run: _Run) -> None:
        """Follow a command with these arguments, its name the first."""
        if not given:
            return
        if run.depth > _DEPTH:
            raise Unreadable("too many commands in each other")
        name = given[0]
        if not name.known:
            self.dynamic(given, run)
        elif claude_cli.is_client(name.text):
            self.client(given, run)
        elif run.inside is not None and name.text in run.inside.functions:
            self.call(run.inside.functions[name.text], given, run)
        elif run.inside is None or not self.builtin(given, run.inside, run):
            self.external(given, run)

    def external(self, given: list[Argument], run: _Run) -> None:
        name = given[0].text
        if name in self.files or name.removeprefix("./") in self.files:
            for text in self.files.get(name) or self.files[name.removeprefix("./")]:
                self.script(text, run)
            return
        found = wrappers(name)
        for one in found:
            _WAYS[one.way](self, one, given, run)
        if not found and name.rpartition("/")[2] not in _DATA:
            self.dashes(None, given, run)

    def call(self, function: Function, given: list[Argument], run: _Run) -> None:
        assert run.inside is not None
        shell = run.inside
        outer = shell.positional
        shell.positional = given
        self.body(function, shell, run.depth, run.remote)
        shell.positional = outer

    # The client

    def client(self, given: list[Argument], run: _Run) -> None:
        """Keep the launch, where these arguments of the client are one."""
        line = claude_cli.parse(given[1:])
        kind = self.kind(line)
        if not kind:
            return
        launch = Launch(kind, given[0], line, given[0].place or run.place)
        launch.advisor = run.shell.environ(mentions.ADVISOR)
        launch.window = run.shell.environ(mentions.WINDOW)
        launch.directory = run.shell.directory
        launch.remote = run.remote
        launch.stray = run.stray
        self.launches.append(launch)

    def kind(self, line: Line) -> str:
        if line.executes or line.elsewhere:
            return ""
        if line.background is not None and not line.job and "background" in self.kinds:
            return "background"
        return "print" if line.prints is not None and "print" in self.kinds else ""

    def dynamic(self, given: list[Argument], run: _Run) -> None:
        """Follow a command whose name is not known: it is the client's where the text speaks for that."""
        name = given[0]
        word = name.word
        tail = word.tail if word is not None and word.dynamic else ""
        split = word is not None and word.head + word.tail in claude_cli.NAMES
        if "/" in tail and not claude_cli.is_client(tail):
            self.external([Argument(tail, True, word, name.place), *given[1:]], run)
        elif "/" in tail or split or mentions.names(name.written, self.kinds):
            if mentions.names(name.written, self.kinds):
                given = [name, Argument(_FLAGS[self.kinds[0]], True), *given[1:]]
            self.client(given, run)
        elif self.mentioned:
            self.client(given, run)

    def unreadable(self, text: Text) -> None:
        if mentions.names(text.text, self.kinds):
            self.coded(text)

    def coded(self, text: Text) -> None:
        """Keep a launch that stands in a text of which no more is known."""
        launch = Launch("background", unknown(""), claude_cli.Line(), text)
        launch.how = mentions.settles(text.text)
        self.launches.append(launch)

    # Builtins that change the shell

    def builtin(self, given: list[Argument], shell: Shell, run: _Run) -> bool:
        """Carry out a builtin that changes the shell; whether it was one."""
        change = _BUILTINS.get(given[0].text)
        if change is None:
            return False
        change(self, given, shell, run)
        return True

    def cd(self, given: list[Argument], shell: Shell, run: _Run) -> None:
        targets = [one for one in given[1:] if not one.text.startswith("-")]
        if len(targets) == 1 and targets[0].known and given[0].text == "cd":
            target = targets[0].text
            if target.startswith("/"):
                shell.directory = target
            elif shell.directory is not None:
                shell.directory = shell.directory.rstrip("/") + "/" + target
        else:
            shell.directory = None

    def unset(self, given: list[Argument], shell: Shell, run: _Run) -> None:
        for one in given[1:]:
            if not one.text.startswith("-"):
                shell.unset(one.text)

    def set(self, given: list[Argument], shell: Shell, run: _Run) -> None:
        at = 1
        while at < len(given):
            text = given[at].text
            if text == "--" or text[:1] not in ("-", "+") or len(text) < 2:
                shell.positional = [*(shell.positional or [unknown("$0")])[:1], *given[at + (text == "--") :]]
                return
            option = given[at + 1].text if text[1:].endswith("o") and at + 1 < len(given) else ""
            if "a" in text[1:] or option == "allexport":
                shell.exports_all = text[0] == "-"
            at += 1 + bool(option)

    def shift(self, given: list[Argument], shell: Shell, run: _Run) -> None:
        if shell.positional is not None and len(given) == 1:
            shell.positional = [*shell.positional[:1], *shell.positional[2:]]
        else:
            shell.positional = None

    def reads(self, given: list[Argument], shell: Shell, run: _Run) -> None:
        """Carry out `read`, `mapfile`, `printf -v`: variables get what is not followed."""
        fed = " ".join(text.text for text in self.fed(run))
        if given[0].text == "printf":
            if len(given) > 2 and given[1].text == "-v":
                shell.set(given[2].text, [unknown(" ".join(one.written for one in given[3:]))])
            return
        for one in given[1:]:
            if one.known and not one.text.startswith("-"):
                shell.set(one.text, [unknown(fed)])

    # The ways of the table of wrappers

    def words(self, found: Wrapper, given: list[Argument], run: _Run) -> None:
        rest, inner = self.options(found, given, run)
        if rest is not None:
            self.run(rest, inner)

    def text(self, found: Wrapper, given: list[Argument], run: _Run) -> None:
        rest, inner = self.options(found, given, run)
        if rest:
            self.shell_text(rest, inner)

    def either(self, found: Wrapper, given: list[Argument], run: _Run) -> None:
        rest, inner = self.options(found, given, run)
        if rest and len(rest) == 1:
            self.shell_text(rest, inner)
        elif rest:
            self.run(rest, inner)

    def texts_(self, found: Wrapper, given: list[Argument], run: _Run) -> None:
        rest, inner = self.options(found, given, run)
        for one in rest or ():
            self.shell_text([one], inner)

    def none(self, found: Wrapper, given: list[Argument], run: _Run) -> None:
        self.options(found, given, run)

    def first(self, found: Wrapper, given: list[Argument], run: _Run) -> None:
        rest, inner = self.options(found, given, run)
        if rest:
            self.shell_text(rest[:1], inner)

    def alias(self, found: Wrapper, given: list[Argument], run: _Run) -> None:
        for one in given[1:]:
            name, equals, text = one.text.partition("=")
            if equals and one.word is not None and one.place is not None:
                self.follow(_value_text(one, len(name) + 1), run.shell.fork(), run.depth + 1, run.remote)
            elif equals:
                self.follow(Text(text, run.place), run.shell.fork(), run.depth + 1, run.remote)

    def script_file(self, found: Wrapper, given: list[Argument], run: _Run) -> None:
        """Follow `source`: a file's text in the same shell."""
        if len(given) < 2:
            return
        for text in self.file(given[1], run):
            self.follow(text, run.shell, run.depth + 1, run.remote)

    def shell(self, found: Wrapper, given: list[Argument], run: _Run) -> None:
        """Follow a shell: a text after `-c`, a script, or the standard input."""
        at, takes_text = 1, False
        while at < len(given):
            text = given[at].text
            if text in ("-", "--") or len(text) < 2 or text[0] not in "-+":
                at += text in ("-", "--")
                break
            takes_text = takes_text or (text[0] == "-" and text[1] != "-" and "c" in text)
            at += 2 if f" {text} " in found.values or (text[1] != "-" and text.endswith(("o", "O"))) else 1
        rest = given[at:]
        inner = run.behind()
        inner.shell = run.shell.child()
        if takes_text:
            inner.shell.positional = rest[1:] or [unknown("bash")]
            if rest:
                self.shell_text(rest[:1], inner)
        elif rest and not any(one.text.startswith("-") and "s" in one.text for one in given[1:at]):
            inner.shell.positional = rest
            for text in self.file(rest[0], run):
                self.script(text, inner)
        else:
            for text in self.fed(run):
                self.follow(text, inner.shell, run.depth + 1, run.remote)

    def stdin(self, found: Wrapper, given: list[Argument], run: _Run) -> None:
        shell = run.shell.child()
        for text in self.fed(run):
            self.follow(text, shell, run.depth + 1, run.remote)

    def cron(self, found: Wrapper, given: list[Argument], run: _Run) -> None:
        shell = Shell(None, inherited=False)
        for text in self.fed(run):
            for line in text.text.splitlines():
                fields = line.split(None, 1 if line.startswith("@") else 5)
                self.follow(Text(fields[-1] if fields else "", text), shell.fork(), run.depth + 1)

    def find_(self, found: Wrapper, given: list[Argument], run: _Run) -> None:
        at = 1
        while at < len(given):
            at += 1
            if f" {given[at - 1].text} " not in found.values:
                continue
            end = at
            while end < len(given) and given[end].text not in (";", "+"):
                end += 1
            if end == at + 1:
                self.shell_text(given[at:end], run.behind())
            self.run(given[at:end], run.behind())
            at = end

    def xargs(self, found: Wrapper, given: list[Argument], run: _Run) -> None:
        rest, inner = self.options(found, given, run)
        if rest:
            fed = unknown(" ".join(text.text for text in self.fed(run)))
            self.run([*rest, fed], inner)

    def parallel(self, found: Wrapper, given: list[Argument], run: _Run) -> None:
        rest, inner = self.options(found, given, run)
        rest = rest or []
        cut = next((at for at, one in enumerate(rest) if one.text in (":::", ":::+", "::::")), len(rest))
        if cut:
            self.shell_text(rest[:cut], inner)
        else:
            for one in rest[cut + 1 :]:
                self.shell_text([one], inner)
            for text in self.fed(run) if not rest else ():
                self.follow(text, inner.shell, run.depth + 1, run.remote)

    def package(self, found: Wrapper, given: list[Argument], run: _Run) -> None:
        rest, inner = self.options(found, given, run)
        if rest and rest[0].known and claude_cli.is_package(rest[0].text):
            self.client([rest[0], *_without_dashes(rest[1:])], inner)
        elif rest:
            self.run(rest, inner)

    def code(self, found: Wrapper, given: list[Argument], run: _Run) -> None:
        """Look at the code given to an interpreter of another language."""
        texts: list[Text] = []
        at = 1
        while at < len(given) and given[at].text.startswith(("-", "/c", "/C")) and given[at].text != "-":
            option = given[at].text
            at += 1
            if f" {option} " in found.texts or (option[1:2] != "-" and f" -{option[-1]} " in found.texts):
                texts += [self.part(given[at], run)] if at < len(given) else []
                at += 1
            elif f" {option} " in found.values:
                at += 1
        rest = given[at:]
        if rest and rest[0].known and claude_cli.is_package(rest[0].text) and not texts:
            self.client(rest, run.behind())
            return
        if found.operands and rest and not texts:
            texts.append(self.part(rest[0], run))
        elif rest and rest[0].text != "-" and not texts:
            texts += self.file(rest[0], run)
        elif not texts:
            texts += self.fed(run)
        for text in texts:
            if mentions.starts(text.text, self.kinds):
                self.coded(text)

    def dashes(self, found: Wrapper | None, given: list[Argument], run: _Run) -> None:
        """Follow what stands after `--`, where that is the client or, of a known command, any command."""
        for option, one in zip(given[1:], given[2:], strict=False):
            if found is not None and f" {option.text} " in found.texts:
                self.shell_text([one], run.behind())
        at = next((at for at, one in enumerate(given) if at and one.known and one.text == "--"), 0)
        rest = given[at + 1 :] if at else []
        if rest and (found is not None or (rest[0].known and claude_cli.is_client(rest[0].text))):
            self.run(rest, run.behind())

    # Options of wrappers

    def options(self, found: Wrapper, given: list[Argument], run: _Run) -> tuple[list[Argument] | None, _Run]:
        """The words that are run, None where nothing is, and what they are run with."""
        inner = run.behind()
        if found.inside:
            inner.shell, inner.inside = run.shell, run.inside
        inner.remote = run.remote or found.remote
        rest = _after_actions(found, given[1:])
        if rest is None:
            return None, inner
        kept = found.drops and any(_keeps(found, one.text) for one in rest)
        if found.drops and not kept:
            inner.shell.clear()
        if found.remote:
            inner.shell.directory = None
        operands = found.operands if found.way != "none" else len(rest)
        at = 0
        while at < len(rest):
            text = rest[at].text
            if not rest[at].known and not operands and not _client_among(rest[at + 1 :]):
                break
            if not rest[at].known and not operands:
                at += 1
            elif text == "--":
                at += 1
            elif text.startswith("-") and (len(text) > 1 or f" {text} " in found.clears):
                if f" {text} " in found.queries:
                    return None, inner
                at = self.option(found, rest, at, inner, run)
            elif _assigned(text) and rest[at].word is not None:
                self.assigned(found, rest[at], inner)
                at += 1
            elif operands:
                operands -= 1
                at += 1
            else:
                break
        return rest[at:], inner

    def option(self, found: Wrapper, rest: list[Argument], at: int, inner: _Run, run: _Run) -> int:
        """Carry out one option; returns the index after it and its value."""
        text = rest[at].text
        name, given = text, None
        if text.startswith("--"):
            name, equals, _ = text.partition("=")
            given = rest[at].after(len(name) + 1) if equals else None
        else:
            name, given = _short(found, rest[at])
        if f" {name} " in found.clears or (name[:2] != "--" and any(f" -{c} " in found.clears for c in text[1:])):
            inner.shell.clear()
        if f" {name} " not in found.values:
            return at + 1
        at += 1
        if given is None:
            given = rest[at] if at < len(rest) else unknown("")
            at += 1
        self.option_value(found, name, given, rest[at:], inner, run)
        return at

    def option_value(
        self, found: Wrapper, name: str, given: Argument, rest: list[Argument], inner: _Run, run: _Run
    ) -> None:
        if f" {name} " in found.sets:
            variable, equals, _ = given.text.partition("=")
            passed = given.after(len(variable) + 1) if equals else run.shell.environ(variable)
            if passed is not None:
                inner.shell.set(variable, [passed], export=True)
        elif f" {name} " in found.unsets:
            inner.shell.unset(given.text)
        elif f" {name} " in found.texts:
            if "--split-string" in found.texts:
                self.split_string(given, rest, inner)
            else:
                self.shell_text([given], inner)

    def split_string(self, given: Argument, rest: list[Argument], inner: _Run) -> None:
        """Follow `env -S`: a text of options, assignments and a command, cut at blanks outside of quotes."""
        text = self.part(given, inner)
        self.texts.append(text)
        try:
            commands = read("env " + text.text)
        except Unreadable:
            self.unreadable(text)
            return
        shifted = Text("env " + text.text, text, lambda inner: [(a - 4, b - 4, new) for a, b, new in inner.edits])
        self.texts.append(shifted)
        words = commands[0].words if commands else []
        self.run([*arguments(words, shifted, inner.shell.lookup), *rest], inner)

    def assigned(self, found: Wrapper, argument: Argument, inner: _Run) -> None:
        name = argument.text.partition("=")[0]
        if found.assigns:
            inner.shell.set(name, [argument.after(len(name) + 1)], export=True)
        else:
            inner.stray.append(argument)

    # Texts

    def shell_text(self, given: list[Argument], run: _Run) -> None:
        """Follow the text that these arguments make, in the shell of `run`."""
        words = [one.word for one in given]
        written = all(
            one.word is not None and one.place is run.place and (not one.known or one.text == one.word.text)
            for one in given
        )
        if written:
            text = in_words(words, run.place)  # type: ignore[arg-type]
        else:
            text = Text(" ".join(one.text for one in given), run.place)
        self.follow(text, run.shell, run.depth + 1, run.remote)

    def part(self, argument: Argument, run: _Run) -> Text:
        """The text in one argument."""
        if argument.word is not None and argument.place is run.place and argument.start < 0:
            return in_word(argument.word, run.place)
        if argument.word is not None and argument.place is not None and argument.start == argument.word.start:
            return in_word(argument.word, argument.place)
        return Text(argument.text, run.place)

    def script(self, text: Text, run: _Run) -> None:
        self.follow(text, run.shell.child(), run.depth + 1, run.remote)

    def file(self, argument: Argument, run: _Run) -> list[Text]:
        """The texts of a file, where the commands themselves write it or it is the standard input."""
        if argument.known and argument.text in ("/dev/stdin", "/dev/fd/0", "-"):
            return self.fed(run)
        if not argument.known and argument.text.startswith("<("):
            return self.process(argument, run)
        name = argument.text
        return self.files.get(name) or self.files.get(name.removeprefix("./")) or []

    def process(self, argument: Argument, run: _Run) -> list[Text]:
        """What a process substitution gives."""
        word = argument.word
        if word is None or word.start < 0:
            return []
        commands = self.lists.get(id(run.command.frame.around()[-1]), [])
        inside = [one for one in commands if word.start < one.start and one.end < word.end and one.kind == "simple"]
        return [text for one in inside for text in self.printed(one, run)]

    def fed(self, run: _Run) -> list[Text]:
        """The texts that the command reads from its standard input, as far as they stand in the command."""
        return self._fed(run.command, run, 0)

    def _fed(self, command: Command, run: _Run, depth: int) -> list[Text]:
        redirects = [one for one in command.redirects if one.feeds]
        frames = command.frame.around()
        for frame in frames:
            redirects += [one for one in frame.redirects if one.feeds]
            if redirects:
                return self.redirected(redirects[-1], run)
            if frame.kind == "pipe" and frame.source is not None and depth < _DEPTH:
                return self.piped(frame.source, run, depth + 1)
        return []

    def redirected(self, redirect: Redirect, run: _Run) -> list[Text]:
        if redirect.body is not None:
            return [in_document(redirect, run.place)]
        if redirect.operator == "<<<":
            return [in_word(redirect.target, run.place)]
        return self.file(Argument(redirect.target.text, redirect.target.static, redirect.target, run.place), run)

    def piped(self, source: Frame, run: _Run, depth: int) -> list[Text]:
        """What a member of a pipeline prints; a filter is taken to pass on what it reads."""
        commands = self.lists.get(id(source.around()[-1]), [])
        inside = [one for one in commands if one.kind == "simple" and one.words and source in one.frame.around()]
        printed = [text for one in inside for text in self.printed(one, run)]
        return printed or [text for one in inside[:1] for text in self._fed(one, run, depth)]

    def printed(self, command: Command, run: _Run) -> list[Text]:
        """What `echo`, `printf` and `cat` print, as far as it stands in the command."""
        words = command.words
        name = words[0].text if words else ""
        if name == "echo":
            start = 1
            while start < len(words) and words[start].text in ("-e", "-n", "-E", "-en", "-ne"):
                start += 1
            return [_lines(in_words(words[start:], run.place))] if len(words) > start else []
        if name == "printf":
            return _printed_by_format(words[1:], run.place)
        if name in ("cat", "tee") and len(words) > 1:
            return [
                text for word in words[1:] for text in self.file(Argument(word.text, word.static, word, run.place), run)
            ] or self._fed(command, run, _DEPTH - 1)
        return self._fed(command, run, _DEPTH - 1) if name in ("cat", "tee") else []

    def written(self, command: Command, given: list[Argument], shell: Shell, place: Text) -> None:
        """Keep what the command writes into a file, where it stands in the command."""
        targets = [one.target for one in command.redirects if one.writes and one.target.static]
        for frame in command.frame.around():
            targets += [one.target for one in frame.redirects if one.writes and one.target.static]
        names = [target.text for target in targets]
        if given and given[0].known and given[0].text == "tee":
            names += [one.text for one in given[1:] if one.known and not one.text.startswith("-")]
        if given and given[0].known and given[0].text in ("cp", "mv", "install", "ln") and len(given) > 2:
            self.files.update({given[-1].text: self.files[one.text] for one in given[1:-1] if one.text in self.files})
        for name in names:
            run = _Run(shell, shell, command, place, 0)
            self.files.setdefault(name.removeprefix("./"), []).extend(self.printed(command, run))


_WAYS: dict[str, Callable[[Finder, Wrapper, list[Argument], _Run], None]] = {
    "words": Finder.words,
    "text": Finder.text,
    "either": Finder.either,
    "texts": Finder.texts_,
    "none": Finder.none,
    "first": Finder.first,
    "alias": Finder.alias,
    "script": Finder.script_file,
    "shell": Finder.shell,
    "stdin": Finder.stdin,
    "cron": Finder.cron,
    "find": Finder.find_,
    "xargs": Finder.xargs,
    "parallel": Finder.parallel,
    "package": Finder.package,
    "code": Finder.code,
    "dashes": Finder.dashes,
}
_BUILTINS: dict[str, Callable[[Finder, list[Argument], Shell, _Run], None]] = {
    "cd": Finder.cd,
    "pushd": Finder.cd,
    "popd": Finder.cd,
    "unset": Finder.unset,
    "set": Finder.set,
    "shift": Finder.shift,
    "read": Finder.reads,
    "mapfile": Finder.reads,
    "readarray": Finder.reads,
    "printf": Finder.reads,
}


def _chain(frame: Frame, base: Frame) -> list[Frame]:
    """The constructs from `base` inwards that have a shell of their own or may be skipped."""
    chain: list[Frame] = []
    current: Frame | None = frame
    while current is not None and current is not base:
        if current.kind in _SHELLS or current.kind in _BRANCHES:
            chain.append(current)
        current = current.parent
    chain.reverse()
    return chain


def _client_among(given: list[Argument]) -> bool:
    return any(one.known and claude_cli.is_package(one.text) for one in given)


def _assigned(text: str) -> bool:
    name, equals, _ = text.partition("=")
    return bool(equals) and name.isidentifier() and name.isascii()


def _keeps(found: Wrapper, text: str) -> bool:
    name = text.partition("=")[0]
    return f" {name} " in found.keeps or (
        text[:1] == "-" and text[1:2] != "-" and any(f" -{letter} " in found.keeps for letter in text[1:])
    )


def _short(found: Wrapper, argument: Argument) -> tuple[str, Argument | None]:
    """Of a word of short options: the first that takes a value, and that value where the word holds it."""
    text = argument.text
    if f" {text} " in found.values:
        return text, None
    for at in range(1, len(text)):
        if f" -{text[at]} " in found.values:
            return "-" + text[at], argument.after(at + 1) if at + 1 < len(text) else None
    return text, None


def _after_actions(found: Wrapper, given: list[Argument]) -> list[Argument] | None:
    """The words after the action in front, None where there is another or none."""
    if not found.actions:
        return given
    at = 0
    while at < len(given) and given[at].text.startswith("-"):
        name = given[at].text
        at += 2 if f" {name} " in found.values else 1
    options = given[:at]
    for action in found.actions:
        if tuple(one.text for one in given[at : at + len(action)]) == action:
            return [*options, *given[at + len(action) :]]
    return None


def _without_dashes(given: list[Argument]) -> list[Argument]:
    return given[1:] if given and given[0].known and given[0].text == "--" else given


def _value_text(argument: Argument, length: int) -> Text:
    """The text in `name='text'`, the first `length` characters of which are no part of it."""
    word, place = argument.word, argument.place
    assert word is not None
    assert place is not None
    raw = place.text[word.start : word.end] if word.start >= 0 else ""
    name = word.text[:length]
    if raw.startswith(name):
        return in_word(_Part(word, raw, length), place)
    return Text(argument.text[length:], place)


class _Part:
    """A word without its first characters."""

    __slots__ = ("dynamic", "end", "start", "static", "text")

    def __init__(self, word: Word, raw: str, length: int) -> None:
        self.text = word.text[length:]
        self.start = word.start + length
        self.end = word.end
        self.static = word.static
        self.dynamic = word.dynamic


def _lines(text: Text) -> Text:
    r"""The text with line breaks for `\n`, each as long as what it stands for."""
    text.text = text.text.replace("\\n", " \n")
    return text


def _printed_by_format(words: list[Word], place: Text) -> list[Text]:
    """What `printf` prints: the format alone, or the words that it is filled with."""
    if not words or not all(word.static or word.quoted for word in words):
        return []
    form = words[0].text
    if "%" not in form:
        return [_lines(in_word(words[0], place))]
    if form.replace("\\n", "").strip() in ("%s", "%b"):
        return [_lines(in_word(word, place)) for word in words[1:]]
    pieces = form.replace("\\n", "\n").replace("%b", "%s").replace("%q", "%s").split("%s")
    filled = "".join(piece + (words[at + 1].text if at + 1 < len(words) else "") for at, piece in enumerate(pieces))
    return [Text(filled, place)]

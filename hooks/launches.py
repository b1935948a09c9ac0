"""Finding the commands in a text of the shell that start the client, wherever the shell would really run them.

The commands are followed in the order in which bash would meet them, with the variables they leave behind:
`Finder.find` returns a `Launch` for each start of the client with what is known of its arguments and its environment.
What stands in a text that another command runs (`bash -c`, a here-document fed to a shell, `ssh host '..'`) is read in
its turn.
"""

from __future__ import annotations

from . import claude_cli, mentions, shell_builtins, streams, ways
from .environment import DECLARING, Function, Shell
from .shell import Unreadable, read
from .texts import Text
from .words import Argument, arguments, unknown
from .wrappers import DATA, WRAPPERS, runs_only_its_words, wrappers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .claude_cli import Line
    from .shell import Command, Frame

_SHELLS = frozenset(("substitution", "process", "subshell", "pipe", "background", "coproc"))
_BRANCHES = frozenset(("and", "or", "then", "elif", "else", "body", "item", "function"))
_DEPTH = 16  # texts and wrappers in each other
_STEPS = 20_000  # commands followed, those of a function at each of its calls
_SUCCEEDING = DECLARING | {"true", ":", "echo", "set", "unset"}
FLAGS = {"background": "--bg", "print": "-p"}

# Commands that start something, if at all, that their words name.
_QUIET = frozenset(name for name in WRAPPERS if runs_only_its_words(name))
# Commands that are followed wherever they stand; all others only where their words may be a command.
_FOLLOWED = frozenset(
    (
        *claude_cli.NAMES,
        *(name for name in WRAPPERS if name not in _QUIET),
        *shell_builtins.CHANGES,
        *shell_builtins.READERS,
        *streams.WRITERS,
        *DECLARING,
    )
)


class Launch:
    """A command that starts the client.

    Attributes:
        kind: `background` or `print`.
        given: its arguments, the name first.
        line: what the client makes of them.
        advisor, window: the two variables in its environment; None where they are not there.
        name: the argument that is the client's name.
        place: the text it stands in.
        directory: where it runs, None where that is not known.
        remote: it runs on another machine or in a container, with other files.
        stray: `NAME=VALUE` words that a command in front would try to run.
        how: for code and texts that cannot be read: what `mentions.settles` says of them; otherwise None.
    """

    __slots__ = ("advisor", "directory", "given", "how", "kind", "line", "name", "place", "remote", "stray", "window")

    def __init__(self, kind: str, given: list[Argument], line: Line, place: Text) -> None:
        self.kind = kind
        self.given = given
        self.name = given[0]
        self.line = line
        self.place = place
        self.advisor: Argument | None = None
        self.window: Argument | None = None
        self.directory: str | None = None
        self.remote = False
        self.stray: list[Argument] = []
        self.how: str | None = None


class Run:
    """A command about to be run.

    Attributes:
        shell: the environment it gets.
        inside: the shell that runs it, where functions and builtins are there; None behind an external command.
        command: the command of the shell that it stands in.
        place: the text that holds this.
        depth: in how many texts and commands it stands.
        remote, stray: as in `Launch`.
        bare: functions of this name are passed over, as `command` does.
    """

    __slots__ = ("bare", "command", "depth", "inside", "place", "remote", "shell", "stray")

    def __init__(self, shell: Shell, inside: Shell | None, command: Command, place: Text, depth: int) -> None:
        self.shell = shell
        self.inside = inside
        self.command = command
        self.place = place
        self.depth = depth
        self.remote = False
        self.stray: list[Argument] = []
        self.bare = False

    def behind(self) -> Run:
        """The same for a command that another one, which is no builtin, runs."""
        run = Run(self.shell.fork(), None, self.command, self.place, self.depth + 1)
        run.remote = self.remote
        run.stray = list(self.stray)
        return run


class Finder:
    """Follows a text and keeps what it finds.

    Attributes:
        launches: what was found.
        texts: the text and all texts in it that were read, the outermost first.
        lists: the commands of each text, by the identity of their outermost frame.
        files: what the commands themselves write into files: the texts by `streams.path`.
        mentioned: the client's name stands somewhere in the text.
    """

    def __init__(self, text: str, kinds: list[str], directory: str | None) -> None:
        self.root = Text(text)
        self.kinds = kinds
        self.directory = directory
        self.launches: list[Launch] = []
        self.texts = [self.root]
        self.lists: dict[int, list[Command]] = {}
        self.files: dict[str, list[Text]] = {}
        self.file_names: set[str] = set()  # last parts of the paths of those that hold something
        self.copies: set[str] = set()  # paths of copies of the client and links to it
        self.outer: dict[
            int, Run | None
        ] = {}  # whose standard input the commands in a frame have, by the frame's identity
        self.functions: set[str] = set()  # names, wherever they are defined
        self.mentioned = mentions.names_client(text)
        self.steps = 0
        self.printings = 0  # looks for what a command prints

    def find(self) -> list[Launch]:
        """All launches.

        Raises:
            Unreadable: the text cannot be read.
        """
        self.follow(self.root, Shell(self.directory), 0)
        return self.launches

    def note_name(self, path: str, texts: list[Text]) -> None:
        """Take note of a file that the commands write."""
        if texts:
            self.file_names.add(path.rpartition("/")[2])

    def follow(self, text: Text, shell: Shell, depth: int, remote: bool = False, outer: Run | None = None) -> None:
        """Follow a text in a shell, which it changes; its standard input is that of `outer`.

        Raises:
            Unreadable: the outermost text cannot be read, or there is too much to follow.
        """
        if depth > _DEPTH:
            raise Unreadable("too many commands in each other")
        if text is not self.root:
            self.texts.append(text)
        try:
            commands = read(text.text)
        except Unreadable:
            if text is self.root:
                raise
            self.unreadable(text)
            return
        if not commands:
            return
        base = commands[0].frame.around()[-1]
        self.lists[id(base)] = commands
        if outer is not None:
            self.outer[id(base)] = outer
        self.functions.update(command.words[0].text for command in commands if command.kind == "function")
        self.walk(commands, shell, text, base, depth, remote)

    def walk(self, commands: list[Command], shell: Shell, text: Text, base: Frame, depth: int, remote: bool) -> None:
        """Follow commands that stand in `base`, with a shell of its own for each construct that needs one."""
        constructs = _Constructs(base, shell)
        functions: dict[int, Function] = {}
        plain = not any(command.kind == "group" for command in commands)  # no construct has redirections
        for command in commands:
            if plain and self.idle(command):
                if len(constructs.open) > 1 or command.words[0].text in _SUCCEEDING:
                    constructs.ran(command)
                else:
                    constructs.succeeds = False
                continue
            chain = _chain(command.frame, base)
            around = next((frame for frame in chain if frame.kind == "function"), None)
            if around is None:
                constructs.enter(chain)
                self.step(command, constructs.shell, text, depth, remote)
                constructs.ran(command)
                continue
            if id(around) not in functions:
                constructs.enter(chain[: chain.index(around)])
                functions[id(around)] = Function(around, text)
                constructs.shell.functions[around.name] = functions[id(around)]
            functions[id(around)].commands.append(command)
        constructs.enter([])
        for function in functions.values():
            if not function.called:
                self.body(function, shell.fork(), depth, remote)

    def idle(self, command: Command) -> bool:
        """Whether a command plainly starts and changes nothing that is looked for."""
        words = command.words
        if command.kind != "simple" or not words or command.assignments or words[0].dynamic or words[0].glob:
            return False
        name = words[0].text
        if "/" in name or "\\" in name or name in _FOLLOWED or name in self.functions or name.startswith("python"):
            return False
        if self.functions and name in _SUCCEEDING:  # in a function's body it is needed for what follows it
            return False
        if command.redirects and _writes(command):
            return False
        if name not in _QUIET:
            return "--" not in [word.text for word in words]
        for word in words[1:]:
            text = word.text
            if word.dynamic or word.glob or "claude" in text:
                return False
            if self.file_names and any(one.rpartition("/")[2] in self.file_names for one in text.split()):
                return False
            last = text.rpartition("/")[2] if "/" in text else text
            if last in _FOLLOWED or last.startswith("python"):
                return False
        return True

    def body(self, function: Function, shell: Shell, depth: int, remote: bool) -> None:
        """Follow the commands of a function in the shell that calls it."""
        function.called = True
        self.walk(function.commands, shell, function.place, function.frame, depth + 1, remote)

    def step(self, command: Command, shell: Shell, text: Text, depth: int, remote: bool) -> None:
        """Follow one command."""
        self.steps += 1
        if self.steps > _STEPS or depth > _DEPTH:
            raise Unreadable("too many commands to follow")
        if command.kind in ("for", "select"):
            values = arguments(command.words[1:], text, shell.lookup)
            shell.set(command.words[0].text, [unknown(" ".join(one.written for one in values))])
        elif command.kind == "assign":
            for assignment in command.assignments:
                shell.set(assignment.name, [unknown(assignment.value.text)])
        elif command.kind == "simple":
            self.simple(command, shell, text, depth, remote)

    def simple(self, command: Command, shell: Shell, text: Text, depth: int, remote: bool) -> None:
        """Follow a simple command: assignments for the shell, or a command with assignments for it."""
        if not command.words:
            for assignment in command.assignments:
                shell.assign(assignment, text)
            return
        if command.words[0].static and command.words[0].text in DECLARING:
            shell.declare(command.words[0].text, command.words[1:], text)
            return
        inside = shell
        if command.assignments:
            inside = shell.fork()
            for assignment in command.assignments:
                inside.assign(assignment, text, export=True)
        given = arguments(command.words, text, shell.lookup)
        run = Run(inside, inside, command, text, depth)
        run.remote = remote
        streams.note_files(self, given, run)
        self.run(given, run)

    def run(self, given: list[Argument], run: Run) -> None:
        """Follow a command with these arguments, its name the first."""
        if not given:
            return
        if run.depth > _DEPTH:
            raise Unreadable("too many commands in each other")
        name = given[0]
        if not name.known:
            self.dynamic(given, run)
        elif run.inside is not None and not run.bare and name.text in run.inside.functions:
            self.call(run.inside.functions[name.text], given, run.inside, run)
        elif claude_cli.is_client(name.text) or self.is_copy(name, run):
            self.client(given, run)
        elif run.inside is not None and not run.bare and name.text in run.inside.aliases:
            words = run.inside.aliases[name.text].text.split()
            self.run([*(Argument(one, known=True) for one in words), *given[1:]], run.behind())
        elif run.inside is not None and name.text in shell_builtins.CHANGES:
            shell_builtins.CHANGES[name.text](given, run.inside)
        elif run.inside is not None and name.text in shell_builtins.READERS:
            fed = " ".join(text.text for text in streams.fed(self, run))
            shell_builtins.read_into(given, run.inside, fed)
        else:
            self.external(given, run)

    def is_copy(self, name: Argument, run: Run) -> bool:
        """Whether the commands have made this file a link to the client, or a copy of it."""
        return bool(self.copies) and "/" in name.text and streams.path(name.text, run.shell.directory) in self.copies

    def external(self, given: list[Argument], run: Run) -> None:
        """Follow a command that is no function and no builtin of those that are followed."""
        written = streams.file(self, given[0], run) if "/" in given[0].text else []
        for text in written:
            self.follow(text, run.shell.child(), run.depth + 1, run.remote)
        found = () if written else wrappers(given[0].text)
        for wrapper in found:
            ways.WAYS[wrapper.way](self, wrapper, given, run)
        if not found and f" {given[0].text.rpartition('/')[2]} " not in DATA:
            ways.behind_dashes(self, given, run)

    def call(self, function: Function, given: list[Argument], shell: Shell, run: Run) -> None:
        """Follow a call of a function."""
        positional, outer = shell.positional, self.outer.get(id(function.frame))
        shell.positional = given
        self.outer[id(function.frame)] = run
        self.body(function, shell, run.depth, run.remote)
        shell.positional = positional
        self.outer[id(function.frame)] = outer

    def client(self, given: list[Argument], run: Run) -> None:
        """Keep the launch, where these arguments of the client are one."""
        line = claude_cli.parse(given[1:])
        kind = self.kind(line)
        if not kind:
            return
        launch = Launch(kind, given, line, given[0].place or run.place)
        launch.advisor = run.shell.environ(mentions.ADVISOR)
        launch.window = run.shell.environ(mentions.WINDOW)
        launch.directory = run.shell.directory
        launch.remote = run.remote
        launch.stray = run.stray
        self.launches.append(launch)

    def kind(self, line: Line) -> str:
        """What a command line of the client starts; empty where it starts nothing of the kinds looked for."""
        if line.executes or line.elsewhere:
            return ""
        if line.background is not None and not line.job and "background" in self.kinds:
            return "background"
        return "print" if line.prints is not None and "print" in self.kinds else ""

    def dynamic(self, given: list[Argument], run: Run) -> None:
        """Follow a command whose name is not known: it is the client's where the text speaks for that."""
        name = given[0]
        word = name.word
        tail = word.tail if word is not None and word.dynamic else ""
        if name.text.startswith(("<(", ">(")):
            return
        if "/" in name.text and streams.file(self, name, run):
            self.external(given, run)
            return
        if mentions.names(name.evidence, self.kinds):
            self.client([name, Argument(FLAGS[self.kinds[0]], known=True), *given[1:]], run)
        elif _may_match(name) and claude_cli.parse(given[1:]).background is not None:
            self.client(given, run)
        elif "/" in tail and not claude_cli.is_client(tail):
            self.external([Argument(tail, True, word, name.place), *given[1:]], run)
        elif "/" in tail or "claude" in name.written.lower() or _cut_name(name):
            self.client(given, run)
        elif self.mentioned and claude_cli.parse(given[1:]).background is not None:
            self.client(given, run)  # the client's name stands elsewhere, and few other programs have such a flag

    def unreadable(self, text: Text) -> None:
        """Look at an inner text that cannot be read."""
        if mentions.names(text.text, self.kinds):
            self.unplaced(text)

    def unplaced(self, text: Text) -> None:
        """Keep a launch that stands in a text of which no more is known."""
        launch = Launch(self.kinds[0], [unknown("")], claude_cli.Line(), text)
        launch.how = mentions.settles(text.text)
        self.launches.append(launch)


def _cut_name(name: Argument) -> bool:
    """Whether the client's name stands in the word with an expansion in it, as in `cla${x}ude`."""
    return name.word is not None and name.word.head + name.word.tail in claude_cli.NAMES


def _writes(command: Command) -> bool:
    """Whether the command writes a file."""
    return any(one.writes for one in command.redirects if one.target.text != "/dev/null")


def _may_match(name: Argument) -> bool:
    """Whether wildcards in the word may make the client's name of it, as `clau*` does."""
    known = name.text.rpartition("/")[2].partition("*")[0].partition("?")[0].partition("[")[0]
    return name.word is not None and not name.word.dynamic and len(known) > 1 and "claude".startswith(known)


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


class _Constructs:
    """The constructs that are open, from the outside in, each with the shell that its commands run in.

    A subshell has a copy of the shell around it, and so has what may be skipped: what that leaves behind is uncertain
    afterwards. What follows `&&` is not skipped where all before it in the list surely succeed, as `export` does.
    """

    __slots__ = ("open", "succeeds")

    def __init__(self, base: Frame, shell: Shell) -> None:
        self.open: list[tuple[Frame, Shell]] = [(base, shell)]
        self.succeeds = False  # the command before

    @property
    def shell(self) -> Shell:
        """That of the innermost construct."""
        return self.open[-1][1]

    def enter(self, chain: list[Frame]) -> None:
        """Close the constructs that are over and open those that begin."""
        same = 0
        while same < len(chain) and same + 1 < len(self.open) and self.open[same + 1][0] is chain[same]:
            same += 1
        while len(self.open) > same + 1:
            frame, shell = self.open.pop()
            if frame.kind in _BRANCHES and shell is not self.shell:
                self.shell.maybe(shell)
        for frame in chain[same:]:
            shared = frame.kind == "and" and self.succeeds
            self.open.append((frame, self.shell if shared else self.shell.fork()))

    def ran(self, command: Command) -> None:
        """Take note of a command that was followed: what comes after `&&` may be skipped if it may fail."""
        self.succeeds = _succeeds(command)
        if self.succeeds or len(self.open) == 1:
            return
        for at in range(1, len(self.open)):
            shared = self.open[at][1]
            if shared is self.open[at - 1][1]:
                copy = shared.fork()
                self.open[at:] = [(frame, copy if shell is shared else shell) for frame, shell in self.open[at:]]


def _succeeds(command: Command) -> bool:
    """Whether a command surely succeeds."""
    words = command.words
    if words and words[0].text not in _SUCCEEDING:
        return False  # asked first, as it is so of most commands
    if command.kind != "simple" or command.inside("not"):
        return False
    if words and words[0].text in DECLARING:
        return len(words) > 1 and words[1].text not in ("-f", "-F", "-p")
    return not any("`" in one.value.text or "$(" in one.value.text for one in command.assignments)

"""The judge of glances: whether a Bash command only looks, and what it shows is soon out of date.

A command is a glance when every simple command in it, in whatever list, pipeline, branch, group or substitution it
stands, is one of `TOOLS` with options that are known to be harmless. The table says what is known: an option that is
not in it, or a word that may turn out to be one, makes the command something else. Not known on purpose are options
that write a file, run another program, reach the network, wait or never end. Apart from that:

- redirections go to the null device or to a descriptor, and come from anywhere but a device;
- variables are set only where nothing is steered by them: `LC_*`, `LANG`, `TZ`, `NO_COLOR`, and by `for`;
- a command that would read the terminal, as nothing else feeds it, is no glance;
- arithmetic holds numerals only, as bash evaluates the text of variables in it;
- no loop but `for`, no function, no background, no `time`, no name with a path or an expansion in it.
"""

from __future__ import annotations

from . import shell
from .tools import COMPARISONS, TOOLS, Use, is_device, is_number, is_short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .shell import Command, Frame, Redirect, Word

STEPS = 1000  # commands and constructs in one text, and
WORDS = 10_000  # words to judge, those of a loop in each turn: more is no glance
LOOP_WORDS = 100  # in the list of a `for`, after which its variable counts as unknown


def is_ephemeral(command: str, allow: Sequence[str] = ()) -> bool:
    """Whether the Bash command is a glance.

    Args:
        command: the text of the command.
        allow: commands of the user's that are glances too, by their leading words: `make -n`, `cargo tree`. All that
            follows those words must be plain text, without expansions and patterns.
    """
    try:
        commands = shell.read(command, STEPS)
    except shell.Unreadable:
        return False
    judge = _Judge(commands, [entry.split() for entry in allow])
    return bool(commands) and all(judge.harmless(entry) for entry in commands)


class _Judge:
    """The judge of one text."""

    __slots__ = ("granted", "loops", "words")

    def __init__(self, commands: list[Command], granted: list[list[str]]) -> None:
        self.granted = granted
        self.loops = _loops(commands)
        self.words = WORDS

    def harmless(self, command: Command) -> bool:
        if not all(_quiet(redirect) for redirect in command.redirects):
            return False
        if not all(frame.kind in _FRAMES for frame in command.frame.around()):
            return False
        if command.kind != "simple":
            rule = _KINDS.get(command.kind)
            return rule is not None and rule(command.words)
        if not all(_steers_nothing(assignment) for assignment in command.assignments):
            return False
        return not command.words or self.listed(command)

    def listed(self, command: Command) -> bool:
        name, *words = command.words
        if not name.static or not all(_is_bounded(word) for word in words):
            return False
        if any(_is_granted(command.words, entry) for entry in self.granted):
            return True
        tool = TOOLS.get(name.text)
        if tool is None:
            return False
        use = Use(command, tool)
        return all(use.judged(turn) for turn in self.turns(words, command.frame)) and self.words >= 0

    def turns(self, words: list[Word], frame: Frame) -> list[list[Word]]:
        """The words as they are in each turn of the loops around, as far as that is known."""
        self.words -= len(words)
        turns: list[list[Word]] = [[]]
        for word in words if self.words >= 0 else ():
            values = _values(word, frame, self.loops)
            if len(values) * len(turns) > LOOP_WORDS:
                values = [word]
            if len(values) > 1:
                self.words -= len(words) * len(values)
                turns = [[*turn, value] for turn in turns for value in values]
            else:
                for turn in turns:
                    turn.append(values[0])
        return turns


def _is_bounded(word: Word) -> bool:
    """Whether the word gives the command nothing to write to, and does not grow without bounds."""
    return is_short(word) and not (word.dynamic and ">(" in word.text)


def _is_granted(words: list[Word], entry: list[str]) -> bool:
    if not entry or not all(word.static for word in words):
        return False
    return [word.text for word in words[: len(entry)]] == entry


def _loops(commands: list[Command]) -> dict[str, list[Word] | None]:
    """For each variable of a `for`: the words that it goes through, None where they are not known."""
    loops: dict[str, list[Word] | None] = {}
    for command in commands:
        if command.kind == "for":
            name, *words = command.words
            before = loops.get(name.text, [])
            known = before is not None and len(words) > 0 and not any(word.dynamic for word in words)
            every = {(word.text, word.static): word for word in [*(before or []), *words]}
            loops[name.text] = [*every.values()] if known and len(every) <= LOOP_WORDS else None
    return loops


def _values(word: Word, frame: Frame, loops: dict[str, list[Word] | None]) -> list[Word]:
    """What a word that begins with a loop's variable goes through; the word alone when that is not known."""
    if not word.dynamic or not word.text.startswith("$"):
        return [word]
    name, rest = _first_variable(word.text)
    values = loops.get(name)
    if not values or not any(around.kind == "for" and around.name == name for around in frame.around()):
        return [word]
    if set(rest) & set("$`*?[{") or not all(_is_plain(value, word.splits) for value in values):
        return [word]
    return [shell.Word(value.text + rest, -1, -1) if value.static else value for value in values]


def _first_variable(text: str) -> tuple[str, str]:
    """Of `$name..` or `${name}..`: the name and the rest."""
    if text.startswith("${"):
        name, _, rest = text[2:].partition("}")
        return name, rest
    length = 1
    while text[length : length + 1].isalnum() or text[length : length + 1] == "_":
        length += 1
    return text[1:length], text[length:]


def _is_plain(value: Word, splits: bool) -> bool:
    """Whether the value is known, and stays one word where bash splits and expands it again."""
    if splits:
        return value.static and value.text != "" and not set(value.text) & set(" \t\n*?[")
    return not value.dynamic


# Redirections, assignments, constructs

_FRAMES = frozenset(
    ("shell", "substitution", "process", "subshell", "pipe", "and", "or", "then", "elif", "else", "body", "item")
) | frozenset(("brace", "if", "for", "case", "not", "test", "arith"))


def _quiet(redirect: Redirect) -> bool:
    """Whether the redirection writes nothing but to a descriptor or the null device, and opens no connection."""
    if redirect.fd is not None and redirect.fd.startswith("{"):
        return False
    if redirect.copies:
        return True
    target = redirect.target
    if redirect.writes:
        return redirect.operator != "<>" and target.static and target.text == "/dev/null"
    if redirect.operator == "<":
        known = target.static or (target.head[:1] not in ("", "/", "~") and not target.glob)
        return (known or target.text.startswith("<(")) and not is_device(target)
    return redirect.operator in ("<<", "<<-", "<<<")


def _steers_nothing(assignment: shell.Assignment) -> bool:
    name, value = assignment.name, assignment.value
    if assignment.append or assignment.array or assignment.subscript or value.dynamic:
        return False
    if name == "LANG" or (name.startswith("LC_") and name[3:].isalpha()):
        return "/" not in value.text  # a path would be a folder of locales
    return name in ("TZ", "NO_COLOR")


def _test_expression(words: list[Word]) -> bool:
    """`[[ ]]`: nothing in it is evaluated as an expression or a variable's name."""
    for index, word in enumerate(words):
        if word.quoted:
            continue
        if word.text in ("-v", "-R"):
            return False
        if word.text in COMPARISONS and not all(is_number(other) for other in words[index - 1 : index + 2 : 2]):
            return False
    return True


def _arithmetic(words: list[Word]) -> bool:
    return not set(words[0].text) - set("0123456789 \t\n+-*/%()<>=!&|^~?:,")


def _loop(words: list[Word]) -> bool:
    name = words[0].text
    if name in _STEERING or (name.isupper() and len(name) > 1):
        return False
    return all(is_short(word) for word in words)


def _anything(words: list[Word]) -> bool:
    return all(is_short(word) for word in words)


_STEERING = frozenset(("path", "fpath", "cdpath", "_"))  # zsh takes the first three for its PATH and the like
_KINDS: dict[str, Callable[[list[Word]], bool]] = {
    "group": _anything,
    "case": _anything,
    "for": _loop,
    "test": _test_expression,
    "arith": _arithmetic,
}

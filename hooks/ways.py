"""The ways in which commands run other commands: how a row of the table in `wrappers.py` is followed.

Each way gets the finder, the row, the arguments with the command's name first, and how the command is run.
"""

from __future__ import annotations

from . import claude_cli, foreign_code, streams
from .environment import Shell
from .shell import Unreadable, read
from .texts import Text, part_of
from .words import Argument, arguments, unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .launches import Finder, Run
    from .wrappers import Wrapper

    Way = Callable[[Finder, Wrapper, list[Argument], Run], None]

_TEXT_WAYS = ("text", "texts", "first", "either", "parallel")  # where assignments are part of the text
_LINES = 16  # of the input that `xargs` puts into its command
_BACKTICKS = ("perl", "ruby", "php")  # languages in which they run a command


def _words(finder: Finder, row: Wrapper, given: list[Argument], run: Run) -> None:
    rest, inner = options(finder, row, given, run)
    program = _value(given[1 : len(given) - len(rest)], row, row.names_program)
    finder.run(rest if program is None else [program, *rest], inner)
    _own_shell(finder, row, rest, inner)


def _value(given: list[Argument], row: Wrapper, wanted: Callable[[str], bool]) -> Argument | None:
    """The value of the first of these options that is wanted."""
    for at, one in enumerate(given):
        name, value = row.option(one)
        if wanted(name):
            return value or (given[at + 1] if at + 1 < len(given) else None)
    return None


def _anywhere(finder: Finder, _row: Wrapper, given: list[Argument], run: Run) -> None:
    at = next((at for at, one in enumerate(given) if at and one.known and claude_cli.is_client(one.text)), len(given))
    finder.run(given[at:], run.behind())


def _text(finder: Finder, row: Wrapper, given: list[Argument], run: Run) -> None:
    rest, inner = options(finder, row, given, run)
    if _direct(row, given, rest):
        finder.run(rest, inner)
    else:
        _shell_text(finder, rest, inner)
    _own_shell(finder, row, rest, inner)


def _direct(row: Wrapper, given: list[Argument], rest: list[Argument]) -> bool:
    """Whether an option before the words makes a command of them."""
    return any(row.directs(one.text) for one in given[1 : len(given) - len(rest)])


def _own_shell(finder: Finder, row: Wrapper, rest: list[Argument], inner: Run) -> None:
    """Follow the standard input, which a shell reads where no command is given."""
    if row.reads and not rest:
        _follow_all(finder, streams.fed(finder, inner), inner)


def _either(finder: Finder, row: Wrapper, given: list[Argument], run: Run) -> None:
    rest, inner = options(finder, row, given, run)
    if len(rest) == 1:
        _shell_text(finder, rest, inner)
    else:
        finder.run(_without_strays(rest, inner), inner)


def _without_strays(given: list[Argument], run: Run) -> list[Argument]:
    """A command without the `NAME=VALUE` words that it begins with, which would be taken for its name."""
    at = 0
    while at < len(given) and _assigns(given[at]):
        at += 1
    run.stray += given[:at]
    return given[at:]


def _texts(finder: Finder, row: Wrapper, given: list[Argument], run: Run) -> None:
    rest, inner = options(finder, row, given, run)
    for one in rest:
        _shell_text(finder, [one], inner)


def _first(finder: Finder, row: Wrapper, given: list[Argument], run: Run) -> None:
    rest, inner = options(finder, row, given, run)
    _shell_text(finder, rest[:1], inner)


def _none(finder: Finder, row: Wrapper, given: list[Argument], run: Run) -> None:
    rest, inner = options(finder, row, given, run)
    _own_shell(finder, row, rest, inner)


def _alias(finder: Finder, _row: Wrapper, given: list[Argument], run: Run) -> None:
    for one in given[1:]:
        name, equals, _ = one.text.partition("=")
        if equals and run.inside is not None:
            run.inside.aliases[name] = one.after(len(name) + 1)
            finder.functions.add(name)
        if equals:
            text = streams.argument_text(one.after(len(name) + 1), run)
            finder.follow(text, run.shell.fork(), run.depth + 1, run.remote)


def _source(finder: Finder, _row: Wrapper, given: list[Argument], run: Run) -> None:
    for text in streams.file(finder, given[1], run) if len(given) > 1 else ():
        finder.follow(text, run.shell, run.depth + 1, run.remote)


def _shell(finder: Finder, row: Wrapper, given: list[Argument], run: Run) -> None:
    """Follow a shell: a text after `-c`, a script, or its standard input."""
    at, takes_text, reads, executes = 1, False, False, True
    while at < len(given):
        text = given[at].text
        if text in ("-", "--") or len(text) < 2 or text[0] not in "-+":
            at += text in ("-", "--")
            break
        short = text[0] == "-" and text[1] != "-"
        takes_text = takes_text or (short and "c" in text)
        reads = reads or (short and "s" in text)
        if (text[1] != "-" and "n" in text) or (
            text[-1] == "o" and given[at + 1 : at + 2] and given[at + 1].text == "noexec"
        ):
            executes = text[0] == "+"
        at += 2 if row.takes(text) or (short and text[-1] in "oO") else 1
    if not executes:
        return
    rest = given[at:]
    inner = run.behind()
    inner.shell = run.shell.child()
    if takes_text:
        inner.shell.positional = rest[1:] or [unknown("bash")]
        _shell_text(finder, rest[:1], inner, run)
    elif rest and not reads:
        inner.shell.positional = rest
        _follow_all(finder, streams.file(finder, rest[0], run), inner)
    else:
        _follow_all(finder, streams.fed(finder, run), inner)


def _stdin(finder: Finder, _row: Wrapper, _given: list[Argument], run: Run) -> None:
    inner = run.behind()
    inner.shell = run.shell.child()
    _follow_all(finder, streams.fed(finder, run), inner)


def _cron(finder: Finder, _row: Wrapper, _given: list[Argument], run: Run) -> None:
    """Follow the lines of a table: five fields, or one such as `@daily`, then a text for a shell."""
    for text in streams.fed(finder, run):
        finder.texts.append(text)
        start = 0
        for line in text.text.splitlines(keepends=True):
            fields = line.split(None, 1 if line.startswith("@") else 5)
            command = fields[-1].strip() if len(fields) in (2, 6) else ""
            begin = start + line.find(command)
            inner = part_of(text, begin, begin + len(command))
            finder.follow(inner, Shell(None, inherited=False), run.depth + 1)
            start += len(line)


def _find(finder: Finder, row: Wrapper, given: list[Argument], run: Run) -> None:
    at = 1
    while at < len(given):
        at += 1
        if not row.takes(given[at - 1].text):
            continue
        end = at
        while end < len(given) and given[end].text not in (";", "+"):
            end += 1
        inner = run.behind()
        if end == at + 1:
            _shell_text(finder, given[at:end], inner)
        else:
            finder.run(_without_strays(given[at:end], inner), inner)
        at = end


def _xargs(finder: Finder, row: Wrapper, given: list[Argument], run: Run) -> None:
    rest, inner = options(finder, row, given, run)
    fed = "\n".join(text.text for text in streams.fed(finder, run)) if rest else ""
    sign = _placeholder(row, given[1 : len(given) - len(rest)])
    if rest and not sign:
        finder.run([*rest, unknown(fed)], inner)
    for line in fed.splitlines()[:_LINES] if sign else ():
        finder.run([_filled(one, sign, line) for one in rest], inner)
    if rest and sign and not fed:
        finder.run(rest, inner)


def _placeholder(row: Wrapper, given: list[Argument]) -> str:
    """What stands for a line of the input in the command of `xargs -I`; empty where lines are added at its end."""
    sign = _value(given, row, "-I".__eq__)
    if sign is not None:
        return sign.text
    short = any(one.text in ("-i", "--replace") for one in given)
    return "{}" if short else next((one.text[10:] for one in given if one.text.startswith("--replace=")), "")


def _filled(argument: Argument, sign: str, line: str) -> Argument:
    return Argument(argument.text.replace(sign, line), argument.known) if sign in argument.text else argument


def _parallel(finder: Finder, row: Wrapper, given: list[Argument], run: Run) -> None:
    rest, inner = options(finder, row, given, run)
    cut = next((at for at, one in enumerate(rest) if one.text in (":::", ":::+", "::::")), len(rest))
    if cut:
        if _direct(row, given, rest):
            finder.run(rest[:cut], inner)
        else:
            _shell_text(finder, rest[:cut], inner)
        return
    for one in rest[1:]:
        _shell_text(finder, [one], inner)
    if not rest:
        _follow_all(finder, streams.fed(finder, run), inner)


def _package(finder: Finder, row: Wrapper, given: list[Argument], run: Run) -> None:
    rest, inner = options(finder, row, given, run)
    if rest and rest[0].known and claude_cli.is_package(rest[0].text):
        dashes = len(rest) > 1 and rest[1].known and rest[1].text == "--"
        finder.client([rest[0], *rest[1 + dashes :]], inner)
    else:
        finder.run(rest, inner)


def _code(finder: Finder, row: Wrapper, given: list[Argument], run: Run) -> None:
    """Look at the code given to an interpreter of another language."""
    if row.actions:
        given = given[:1] + row.after_actions(given[1:])
    texts, rest = _code_options(row, given, run)
    if not texts and rest and rest[0].known and claude_cli.is_package(rest[0].text):
        finder.client(rest, run.behind())
        return
    if not texts and row.operands:
        texts = [streams.argument_text(one, run) for one in rest[:1]]
    elif not texts:
        texts = streams.file(finder, rest[0], run) if rest else streams.fed(finder, run)
    for text in texts:
        if foreign_code.starts(_with_calls(text.text, row, given[0].text), finder.kinds):
            finder.unplaced(text)


def _with_calls(code: str, row: Wrapper, language: str) -> str:
    """The code with a call where another sign runs a command: backticks, and the pipes of awk."""
    if language in _BACKTICKS:
        return code.replace("`", " system '")
    if not row.operands:
        return code
    before, reads, _ = code.replace('| "', 'system("').partition("| getline")
    at = before.rstrip().rfind('"', 0, -1)
    return before[:at] + "system(" + before[at:] + code if reads and at >= 0 else before


def _code_options(row: Wrapper, given: list[Argument], run: Run) -> tuple[list[Text], list[Argument]]:
    """The texts of code in the options of an interpreter, and the words after these."""
    texts: list[Text] = []
    at = 1
    while at < len(given) and given[at].text.startswith("-") and len(given[at].text) > 1:
        option = given[at].text
        at += 1
        if row.queries(option):
            return [], given[at - 1 :]
        if row.reads_text(option) or (option[1] != "-" and row.reads_text("-" + option[-1])):
            texts += [streams.argument_text(one, run) for one in given[at : at + 1]]
            at += 1
        elif row.takes(option):
            at += 1
    return texts, given[at:]


def _dashes(finder: Finder, row: Wrapper, given: list[Argument], run: Run) -> None:
    """Follow what stands behind `--`."""
    for at in range(1, len(given) - 1):
        if row.reads_text(given[at].text):
            _shell_text(finder, given[at + 1 : at + 2], run.behind())
    finder.run(_after_dashes(given), run.behind())


def behind_dashes(finder: Finder, given: list[Argument], run: Run) -> None:
    """Follow the client behind the `--` of a command that is not in the table."""
    rest = _after_dashes(given)
    if rest and rest[0].known and claude_cli.is_client(rest[0].text):
        finder.run(rest, run.behind())


def _after_dashes(given: list[Argument]) -> list[Argument]:
    at = next((at for at, one in enumerate(given) if at and one.known and one.text == "--"), len(given))
    return given[at + 1 :]


# Options


def options(finder: Finder, row: Wrapper, given: list[Argument], run: Run) -> tuple[list[Argument], Run]:
    """The words that the command runs, none where it runs nothing, and what they are run with."""
    rest = row.after_actions(given[1:])
    inner = _behind(row, rest, run)
    operands = len(rest) if row.way == "none" else row.operands
    named = _value(rest, row, row.names_program) is not None
    at = 0
    while at < len(rest):
        text = rest[at].text
        if row.queries(text):
            return [], inner
        if text == "--":
            at += 1
        elif text.startswith("-") and (len(text) > 1 or row.clears(text)):
            own = not row.strict or operands > 0
            if not own and named:
                break  # all that follows is for that program
            at = _option(finder, row, rest, at, inner, run) if own else at + 1 + row.takes(text)
        elif _assigns(rest[at]) and row.way not in _TEXT_WAYS:
            _assigned(row, rest[at], inner)
            at += 1
        elif operands or (not rest[at].known and _client_among(rest[at + 1 :])):
            operands -= operands > 0
            at += 1
        else:
            break
    return rest[at:], inner


def _behind(row: Wrapper, rest: list[Argument], run: Run) -> Run:
    """What the command is run with, before its options are carried out."""
    inner = run.behind()
    if row.inside:
        inner.shell, inner.inside, inner.bare = run.shell, run.inside, row.bare
    kept = row.kept(rest)
    if kept is not None:
        inner.shell.clear(kept)
    if row.remote:
        inner.remote = True
        inner.shell.directory = None
    return inner


def _option(finder: Finder, row: Wrapper, rest: list[Argument], at: int, inner: Run, run: Run) -> int:
    """Carry out an option; returns the index after it and its value."""
    name, given = row.option(rest[at])
    if row.clears(rest[at].text):
        inner.shell.clear()
    at += 1
    if not row.takes(name):
        return at
    if given is None:
        given = rest[at] if at < len(rest) else unknown("")
        at += 1
    if row.sets(name):
        variable, equals, _ = given.text.partition("=")
        passed = given.after(len(variable) + 1) if equals else run.shell.environ(variable)
        if passed is not None:
            inner.shell.set(variable, [passed], export=True)
    elif row.enters(name):
        inner.shell.enter(given)
    elif row.unsets(name):
        inner.shell.unset(given.text)
    elif row.reads_text(name) and row.way == "env":
        _split_string(finder, given, rest[at:], inner)
    elif row.reads_text(name):
        _shell_text(finder, [given], inner)
    return at


def _split_string(finder: Finder, given: Argument, rest: list[Argument], inner: Run) -> None:
    """Follow `env -S`: a text of options, assignments and a command."""
    text = streams.argument_text(given, inner)
    words = Text("env " + text.text, text, lambda made: [(a - 4, b - 4, new) for a, b, new in made.edits])
    finder.texts += [text, words]
    try:
        commands = read(words.text)
    except Unreadable:
        finder.unreadable(text)
        return
    found = arguments(commands[0].words, words, inner.shell.lookup) if commands else []
    finder.run([*found, *rest], inner)


def _assigns(argument: Argument) -> bool:
    """Whether the argument is `NAME=VALUE`, whatever the value is."""
    word = argument.word
    name, equals, _ = (argument.text if argument.known or word is None else word.head).partition("=")
    return bool(equals) and name.isidentifier() and name.isascii()


def _assigned(row: Wrapper, argument: Argument, inner: Run) -> None:
    name = argument.text.partition("=")[0]
    if row.assigns:
        inner.shell.set(name, [argument.after(len(name) + 1)], export=True)
    else:
        inner.stray.append(argument)


def _client_among(given: list[Argument]) -> bool:
    return any(one.known and claude_cli.is_package(one.text) for one in given)


# Texts


def _shell_text(finder: Finder, given: list[Argument], run: Run, outer: Run | None = None) -> None:
    """Follow the text that these arguments make, in the shell of `run`."""
    texts: list[Text] = []
    if len(given) == 1:
        texts = streams.held(finder, given[0], outer or run)
    elif given:
        texts = [streams.arguments_text(given, run)]
    for text in texts:
        finder.follow(text, run.shell, run.depth + 1, run.remote, outer or run)


def _follow_all(finder: Finder, texts: list[Text], run: Run) -> None:
    for text in texts:
        finder.follow(text, run.shell, run.depth + 1, run.remote)


WAYS: dict[str, Way] = {
    "words": _words,
    "env": _words,
    "text": _text,
    "either": _either,
    "texts": _texts,
    "none": _none,
    "first": _first,
    "alias": _alias,
    "script": _source,
    "shell": _shell,
    "stdin": _stdin,
    "cron": _cron,
    "find": _find,
    "xargs": _xargs,
    "parallel": _parallel,
    "package": _package,
    "code": _code,
    "dashes": _dashes,
    "anywhere": _anywhere,
}

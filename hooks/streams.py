"""What commands print, read and write, where the text shows it: `echo x | bash`, `cat > f <<EOF`, `<(echo x)`."""

from __future__ import annotations

import os

from . import claude_cli
from .shell import Unreadable
from .texts import Text, in_document, in_word, in_words
from .words import Argument, arguments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .launches import Finder, Run
    from .shell import Command, Frame, Redirect, Word

_FILTERS = ("sed", "awk", "gawk", "mawk", "nawk")
WRITERS = ("tee", "dd", "cp", "mv", "install", "ln")  # what writes files without a redirection
_DEPTH = 64  # commands that hand on what they read
_STEPS = 2_000  # looks for what a command prints
_INPUT = ("/dev/stdin", "/dev/fd/0", "-")


def fed(finder: Finder, run: Run) -> list[Text]:
    """The texts that the command reads from its standard input.

    Raises:
        Unreadable: too many commands hand it on.
    """
    return _fed(finder, run.command, run, 0)


def _fed(finder: Finder, command: Command, run: Run, depth: int) -> list[Text]:
    if depth > _DEPTH:
        raise Unreadable("too many commands that hand on what they read")
    redirects = _inputs(command.redirects)
    for frame in command.frame.around():
        redirects = redirects or _inputs(frame.redirects)
        if redirects:
            return _redirected(finder, redirects[-1], run)
        if frame.kind == "pipe" and frame.source is not None:
            return _piped(finder, frame.source, run, depth + 1)
        outer = finder.outer.get(id(frame))
        if outer is not None:
            return _fed(finder, outer.command, outer, depth + 1)
    return []


def _inputs(redirects: list[Redirect]) -> list[Redirect]:
    """Those that give another standard input than the one that is there already."""
    return [one for one in redirects if one.feeds and (one.body is not None or one.target.text not in _INPUT)]


def _redirected(finder: Finder, redirect: Redirect, run: Run) -> list[Text]:
    if redirect.body is not None:
        return [in_document(redirect, run.place)]
    if redirect.operator == "<<<":
        return held(finder, _argument(redirect.target, run), run)
    return file(finder, _argument(redirect.target, run), run)


def _piped(finder: Finder, source: Frame, run: Run, depth: int) -> list[Text]:
    """What a member of a pipeline prints; a filter is taken to pass on what it reads."""
    commands = finder.lists.get(id(source.around()[-1]), [])
    inside = [one for one in commands if one.kind == "simple" and one.words and source in one.frame.around()]
    found = [text for one in inside for text in printed(finder, one, run, depth)]
    return found or [text for one in inside[:1] for text in _fed(finder, one, run, depth)]


def printed(finder: Finder, command: Command, run: Run, depth: int = 0) -> list[Text]:
    """What `echo`, `printf`, `cat` and `tee` print.

    Raises:
        Unreadable: this was asked too often, as by many `cat - -` in one pipeline.
    """
    finder.printings += 1
    if finder.printings > _STEPS:
        raise Unreadable("too many commands that print")
    words = command.words
    if not words:
        return _fed(finder, command, run, depth) if _inputs(command.redirects) else []  # `$(< file)`
    name = words[0].text
    if name == "echo":
        start = 1
        while start < len(words) and words[start].text in ("-e", "-n", "-E", "-en", "-ne"):
            start += 1
        return [_lines(words_text(words[start:], run))] if len(words) > start else []
    if name == "printf":
        return _formatted(words[1:], run)
    if name in _FILTERS:
        made = [_generated(word, run) for word in words[1:] if "claude" in word.text]
        return made and [*made, *_fed(finder, command, run, depth)]
    if name not in ("cat", "tee", "dd"):
        return []
    named = []
    for word in words[1:] if name == "cat" else ():
        if word.text in _INPUT:
            named += _fed(finder, command, run, depth)
        else:
            named += file(finder, _argument(word, run), run)
    return named or _fed(finder, command, run, depth)


def _generated(word: Word, run: Run) -> Text:
    """What a program of `sed` or `awk` puts into what it prints, each piece of it on a line of its own."""
    text = word.text
    sign = '"' if '"' in text else text[1:2] if text[:1] in "sy" else "\n"
    return Text(text.replace(sign, "\n") if not sign.isalnum() else text, run.place)


def _formatted(words: list[Word], run: Run) -> list[Text]:
    """What `printf` prints: the format alone, or the words that it is filled with."""
    if not words:
        return []
    form = words[0].text
    if "%" not in form:
        return [_lines(words_text(words[:1], run))]
    if form.replace("\\n", "").strip() in ("%s", "%b"):
        return [_lines(words_text([word], run)) for word in words[1:]]
    pieces = form.replace("\\n", "\n").replace("%b", "%s").replace("%q", "%s").split("%s")
    filled = "".join(piece + (words[at + 1].text if at + 1 < len(words) else "") for at, piece in enumerate(pieces))
    return [Text(filled, run.place)]


def _lines(text: Text) -> Text:
    r"""The text with line breaks for `\n`, each as long as what it stands for."""
    text.text = text.text.replace("\\n", " \n")
    return text


def words_text(words: list[Word], run: Run) -> Text:
    """The text that words joined by blanks make."""
    given = arguments(words, run.place, run.shell.lookup)
    return argument_text(given[0], run) if len(given) == 1 else arguments_text(given, run)


def arguments_text(given: list[Argument], run: Run) -> Text:
    """The text that arguments joined by blanks make, as `eval` and `ssh` do."""
    words = [one.word for one in given if one.word is not None and one.place is run.place and one.text == one.word.text]
    if len(words) == len(given):
        return in_words(words, run.place)
    return Text(" ".join(one.text for one in given), run.place)


def argument_text(argument: Argument, run: Run) -> Text:
    """The text in one argument, where it stands: it may have come out of a variable that was set in the text."""
    origin = argument.origin
    word, place = origin.word, origin.place
    if word is None or place is None or (origin.known and origin.start < 0 and origin.text != word.text):
        return Text(argument.text, run.place)
    length = origin.start - word.start if origin.start >= 0 else 0
    return in_word(word, place, length)


def held(finder: Finder, argument: Argument, run: Run) -> list[Text]:
    """The text that an argument is: one that stands there, or what a substitution prints."""
    if not argument.known and argument.text.startswith(("$(", "`")):
        return substituted(finder, argument, run)
    return [argument_text(argument, run)]


def path(name: str, directory: str | None) -> str:
    """A file's name by which it is known however it is written; what is not known in it stays as written."""
    if name.startswith(("$", "~")):
        return name
    return os.path.normpath(os.path.join(directory or "", name))


def file(finder: Finder, argument: Argument, run: Run) -> list[Text]:
    """The texts of a file, where the commands themselves write it or it is what a command prints."""
    if argument.known and argument.text in _INPUT:
        return fed(finder, run)
    if not argument.known and argument.text.startswith("<("):
        return substituted(finder, argument, run)
    if not finder.files:
        return []
    directory = run.shell.directory
    found = finder.files.get(path(argument.text, directory))
    if found is None and directory is None:
        found = finder.files.get(path(argument.text, finder.directory))
    return found or []


def substituted(finder: Finder, argument: Argument, run: Run) -> list[Text]:
    """What the commands in a substitution print, which is all of the argument."""
    word = argument.word
    if word is None or word.start < 0:
        return []
    commands = finder.lists.get(id(run.command.frame.around()[-1]), [])
    inside = [one for one in commands if one.kind == "simple" and word.start < one.start and one.end < word.end]
    return [text for one in inside for text in printed(finder, one, run)]


def note_files(finder: Finder, given: list[Argument], run: Run) -> None:
    """Keep what the command writes into files."""
    command = run.command
    redirects = [*command.redirects, *(one for frame in command.frame.around() for one in frame.redirects)]
    names = [_argument(one.target, run).text for one in redirects if one.writes]
    name = given[0].text if given and given[0].known else ""
    if name == "tee":
        names += [one.text for one in given[1:] if not one.text.startswith("-")]
    elif name == "dd":
        names += [one.text[3:] for one in given[1:] if one.text.startswith("of=")]
    elif name in WRITERS and len(given) > 2:
        for one in given[1:-1]:
            copied = file(finder, one, run)
            client = claude_cli.is_client(one.text) if one.known else one.text.endswith((" claude)", "claude`"))
            for to in (given[-1].text, given[-1].text + "/" + one.text.rpartition("/")[2]):
                if client:
                    finder.copies.add(path(to, run.shell.directory))
                finder.files[path(to, run.shell.directory)] = copied
                finder.note_name(to, copied)
    if names:
        texts = printed(finder, command, run)
        for to in names:
            finder.files.setdefault(path(to, run.shell.directory), []).extend(texts)
            finder.note_name(to, texts)


def _argument(word: Word, run: Run) -> Argument:
    found = arguments([word], run.place, run.shell.lookup)
    return found[0] if len(found) == 1 else Argument(word.text, False, word, run.place)

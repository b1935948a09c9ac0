"""What a launch's settings are, whether they hold, and the change of the command that makes them hold.

The order in which the client takes the window, measured: the variable, from `--settings` before the environment; then
`--autocompact`; then `autoCompactWindow` of the settings. Of several `--settings` the last one counts, alone.
"""

from __future__ import annotations

import os

from . import claude_cli
from .fastjson import dumps, loads
from .mentions import ADVISOR, LARGEST, SMALLEST, WINDOW, is_window
from .settings_text import with_env
from .streams import path
from .texts import NoPlace, quoted
from .words import Argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .launches import Launch
    from .texts import Text

    Settings = dict[str, Any]

_LARGEST_FILE = 1 << 20  # bytes: a settings file is a few thousand


class Verdict:
    """What is to be said of a launch.

    Attributes:
        launch: the launch.
        faults: what is wrong, each in words.
        missing: the settings that are not there at all.
        accepted: what is there is in the environment only, which a running supervisor ignores.
        settings: what `--settings` holds, read.
        unread: it cannot be read, so that nothing can be merged into it.
        window: the valid window that stands in the command, None where there is none.
        in_force: that window holds as it stands.
        wrong: bad values, and what each should be; empty for the window.
    """

    __slots__ = ("accepted", "faults", "in_force", "launch", "missing", "settings", "unread", "window", "wrong")

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.faults: list[str] = []
        self.missing: list[str] = []
        self.accepted = False
        self.settings: Settings = {}
        self.unread = False
        self.window: int | None = None
        self.in_force = False
        self.wrong: list[tuple[Argument, str]] = []


def judged(launch: Launch, files: dict[str, list[Text]], window: int) -> Verdict:
    """The verdict on a launch; `files` are the texts that the command itself writes, `window` the one wanted."""
    verdict = Verdict(launch)
    if launch.how is not None:
        verdict.accepted = launch.how == "accepted"
        verdict.missing = [] if launch.how else [f"{ADVISOR}=1", WINDOW]
        return verdict
    if launch.line.settings is not None:
        try:
            verdict.settings = read_settings(launch, files)
        except (OSError, ValueError) as error:
            verdict.faults.append(f"its --settings cannot be read: {_reason(error)}")
            verdict.unread = True
            return verdict
    if launch.kind == "background" and launch.line.prints is not None:
        verdict.faults.append("the client refuses --bg together with -p")
    advisor = _advisor(verdict)
    effective = _window(verdict, window)
    verdict.accepted = launch.kind == "background" and not (advisor and effective)
    return verdict


def read_settings(launch: Launch, files: dict[str, list[Text]]) -> Settings:
    """What the launch's `--settings` holds, inline or in a file.

    Raises:
        OSError: the file cannot be read.
        ValueError: there is nothing to be read here, or it is no settings object.
    """
    argument = launch.line.settings
    if argument is None or not argument.known:
        raise ValueError("its value is not known before the command runs")
    text = argument.text.strip()
    if not text.startswith("{"):
        text = _file(argument.text, launch, files)
    try:
        settings = loads(text)
    except (ValueError, RecursionError):
        raise ValueError("it is not valid JSON") from None
    if not isinstance(settings, dict) or not isinstance(settings.get("env", {}), dict):
        raise ValueError("it is not an object whose env is an object")  # noqa: TRY004 - it is about the file
    return settings


def _file(name: str, launch: Launch, files: dict[str, list[Text]]) -> str:
    written = files.get(path(name, launch.directory))
    if written is not None:
        if len(written) != 1:
            raise ValueError(f"the command itself writes {name}")
        return written[0].text
    if launch.remote:
        raise ValueError(f"{name} is a file elsewhere")
    if not os.path.isabs(name):
        if launch.directory is None:
            raise ValueError(f"the folder of {name} is not known")
        name = os.path.join(launch.directory, name)
    if os.path.getsize(name) > _LARGEST_FILE or not os.path.isfile(name):
        raise ValueError(f"{name} is no settings file")
    with open(name, encoding="utf-8-sig") as file:
        return file.read()


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8"
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _advisor(verdict: Verdict) -> bool:
    """Look at the advisor switch; whether it holds by `--settings`."""
    settings = verdict.settings.get("env", {})
    if ADVISOR in settings:
        if _text(settings[ADVISOR]) != "1":
            verdict.faults.append(f"{ADVISOR} is {_shown(_text(settings[ADVISOR]))} in --settings, it must be 1")
        return True
    given = verdict.launch.advisor
    if given is None:
        verdict.missing.append(f"{ADVISOR}=1")
    elif not given.known or given.text != "1":
        verdict.faults.append(f"{ADVISOR} is {_value(given)}, it must be 1")
        verdict.wrong.append((given, "1"))
    return False


def _window(verdict: Verdict, wanted: int) -> bool:
    """Look at the window; whether it holds by `--settings` or an option."""
    settings, line = verdict.settings.get("env", {}), verdict.launch.line
    option = autocompact(line.autocompact.text) if line.autocompact is not None and line.autocompact.known else None
    if option == "refused" and line.autocompact is not None:
        verdict.faults.append(
            f"--autocompact {line.autocompact.text} is not accepted: use {SMALLEST} to {LARGEST}, or 200k, 1M"
        )
        verdict.wrong.append((line.autocompact, str(wanted)))
        return True
    if WINDOW in settings:
        _keep_window(verdict, _text(settings[WINDOW]), "in --settings", None)
        verdict.in_force = True
        return True
    if verdict.launch.window is not None:
        given = verdict.launch.window
        _keep_window(verdict, given.text if given.known else None, "", given)
    found = option if option is not None else _setting(verdict)
    if isinstance(found, int) and (verdict.launch.window is None or verdict.window is not None):
        verdict.window = found
        verdict.in_force = True
        return True
    if verdict.launch.window is None:
        _no_window(verdict, wanted)
    return False


def _setting(verdict: Verdict) -> int | None:
    """The window of `autoCompactWindow` in the settings."""
    found = verdict.settings.get("autoCompactWindow")
    return found if isinstance(found, int) and is_window(str(found)) else None


def _no_window(verdict: Verdict, wanted: int) -> None:
    given = verdict.launch.line.autocompact
    if given is not None:
        verdict.faults.append(f"--autocompact {given.text} sets no window that is known here")
        verdict.wrong.append((given, str(wanted)))
    elif "autoCompactWindow" in verdict.settings:
        found = _shown(_text(verdict.settings["autoCompactWindow"]))
        verdict.faults.append(f"autoCompactWindow is {found} in --settings, it must be {_RANGE}")
    else:
        verdict.missing.append(WINDOW)


_RANGE = f"a plain integer from {SMALLEST} to {LARGEST}"


def _keep_window(verdict: Verdict, text: str | None, where: str, given: Argument | None) -> None:
    if text is not None and is_window(text):
        verdict.window = int(text)
        return
    found = _shown(text) if text is not None else "not known before the command runs"
    verdict.faults.append(f"{WINDOW} is {found}{' ' + where if where else ''}, it must be {_RANGE}")
    if given is not None:
        verdict.wrong.append((given, ""))


def autocompact(text: str) -> int | str | None:
    """The window that `--autocompact` sets in tokens; `refused` where the client takes no such value, None for auto."""
    plain = text.strip().lower()
    if plain == "auto":
        return None
    unit = {"k": 1000, "m": 1_000_000}.get(plain[-1:], 1)
    number = plain[:-1] if unit > 1 else plain
    whole, _, fraction = number.partition(".")
    if not whole.isdecimal() or not whole.isascii() or not (fraction or "0").isdecimal() or len(number) > 9:
        return "refused"
    tokens = round(float(number) * unit)
    if unit == 1 and 100 <= tokens <= 1000:
        tokens *= 1000
    return tokens if SMALLEST <= tokens <= LARGEST else "refused"


def _value(given: Argument) -> str:
    return _shown(given.text) if given.known else "not known before the command runs"


def _shown(text: str) -> str:
    short = text if len(text) <= 40 else text[:40] + "..."
    return short if short and short.isprintable() else "empty" if not short else repr(short)


def _text(value: Any) -> str:
    """A value of a settings file's env as the client takes it."""
    if isinstance(value, str):
        return value
    return dumps(value)


# The change


def change(verdict: Verdict, wanted: int) -> None:
    """Put the change that makes the launch's settings hold into the texts.

    Raises:
        NoPlace: there is no place for it.
    """
    launch = verdict.launch
    if launch.how is not None or verdict.unread:
        raise NoPlace
    _drop_stray(launch)
    _correct_values(verdict, wanted)
    if launch.kind == "background" and launch.line.prints is not None:
        _drop_print(launch)
    settings = dict(verdict.settings)
    env = {**settings.get("env", {}), ADVISOR: "1"}
    if not verdict.in_force or not verdict.window:
        if "autoCompactWindow" in settings and not _setting(verdict):
            del settings["autoCompactWindow"]
        env[WINDOW] = str(verdict.window or wanted)
    settings["env"] = env
    if settings != verdict.settings:
        old = launch.line.settings
        inline = old.text.strip() if old is not None else ""
        _put(launch, with_env(inline, settings) if inline.startswith("{") else dumps(settings))


def _put(launch: Launch, settings: str) -> None:
    """Replace the `--settings` that counts, or add one behind the flag of the launch."""
    old = launch.line.settings
    if old is not None:
        word = old.word
        if word is None or old.place is not launch.place or old.start < 0 or word.dynamic:
            raise NoPlace
        launch.place.edits.append((old.start, word.end, quoted(settings)))
        return
    if launch.line.dangling is not None:
        _insert(launch, launch.line.dangling, quoted(settings))
        return
    flag = launch.line.background or launch.line.prints
    for argument in (flag, *launch.given):
        if argument is not None and _is_place(launch, argument):
            _insert(launch, argument, f"--settings {quoted(settings)}")
            return
    raise NoPlace


def _insert(launch: Launch, argument: Argument, words: str) -> None:
    """Put words behind an argument."""
    word = argument.word
    if word is None or word.start < 0 or (word.brace and not word.quoted):
        raise NoPlace
    launch.place.edits.append((word.end, word.end, " " + words))


def _is_place(launch: Launch, argument: Argument) -> bool:
    """Whether `--settings` can stand behind an argument: where no option takes it for its value."""
    word, given = argument.word, launch.given
    if word is None or word.start < 0 or argument.place is not launch.place:
        return False
    if word.dynamic and argument is not launch.name:
        return False
    at = max((at for at, one in enumerate(given) if one.word is word), default=0) + 1
    added = Argument("{}", known=True)
    line = claude_cli.parse([*given[1:at], Argument("--settings", known=True), added, *given[at:]])
    asked = line.background if launch.kind == "background" else line.prints
    return line.settings is added and asked is not None


def _correct_values(verdict: Verdict, wanted: int) -> None:
    """Write the right value in place of a bad one, where it stands in the command."""
    for argument, right in verdict.wrong:
        word, place = argument.word, argument.place
        if word is not None and place is not None and argument.start >= 0:
            place.edits.append((argument.start, word.end, right or str(verdict.window or wanted)))


def _drop_stray(launch: Launch) -> None:
    for argument in launch.stray:
        if argument.word is not None and argument.word.start >= 0 and argument.place is not None:
            text = argument.place.text
            end = argument.word.end
            end += len(text[end:]) - len(text[end:].lstrip(" \t"))
            argument.place.edits.append((argument.word.start, end, ""))


def _drop_print(launch: Launch) -> None:
    """Take `-p` out of a command that asks for the background too."""
    argument = launch.line.prints
    word = argument.word if argument is not None else None
    if argument is None or word is None or word.start < 0 or argument.place is None or word.dynamic:
        raise NoPlace
    text = argument.text
    if text in ("-p", "--print"):
        start = word.start
        start -= argument.place.text[:start].endswith(" ")
        argument.place.edits.append((start, word.end, ""))
    else:
        argument.place.edits.append((word.start, word.end, text.replace("p", "", 1)))

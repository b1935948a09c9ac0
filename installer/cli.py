"""The command `cchooks`: finds the sub-command, loads its module only, and turns what goes wrong into one line."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, HelpFormatter

from . import __version__
from .errors import OutputError, RefusalError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace, _SubParsersAction
    from collections.abc import Sequence
    from typing import Any, NoReturn

# Each module has `add_parser(subparsers)`, which sets `run` or `func`: from the parsed arguments to the status.
COMMANDS = {
    "install": ("install", "put the hooks into Claude Code's settings"),
    "uninstall": ("uninstall", "take the hooks out again"),
    "status": ("status", "what is installed where, and what is wrong with it"),
    "doctor": ("doctor", "run the registered hooks as the client would, and check what can keep them from running"),
    "print-config": ("print_config", "print the entries to add by hand"),
    "config": ("config_commands", "write a commented config file, or check yours"),
    "audit": ("transcripts.audit_command", "what happened in your sessions, in numbers"),
    "stats": ("transcripts.stats_command", "what the hooks did"),
    "completion": ("completion", "print a completion script for bash or zsh"),
}
INTERRUPTED = 130


def console() -> NoReturn:
    """Run `cchooks` as a process: its own memory is not given back piece by piece at the end, which takes a while."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # it was closed by whoever started us
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
    status = main()
    sys.stderr.flush()
    if "multiprocessing" in sys.modules:  # it clears up after itself at the end
        sys.exit(status)
    os._exit(status)


def main(argv: Sequence[str] | None = None) -> int:
    """Run `cchooks`; the exit status.

    0: done, or nothing to do; 1: refused or failed; 2: wrong usage; 130: interrupted. `status` and `doctor`: 0 healthy,
    1 broken, 3 works with notices.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        try:
            status = _run(words)
        except SystemExit as ended:  # argparse's: usage, help, the version
            status = ended.code if isinstance(ended.code, int) else 0
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except (OSError, OutputError) as error:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - what the interpreter flushes at its end
        if not isinstance(error, BrokenPipeError):  # not `cchooks ... | head`
            from . import output

            output.tell("error", f"the output could not be written: {getattr(error, 'strerror', error)}")
        return 1
    return status


def full_parser() -> ArgumentParser:
    """The parser with every sub-command loaded."""
    return _parser(list(COMMANDS))


class _Help(HelpFormatter):
    """The usual layout; its width is found without shutil, whose import is a fifth of an interpreter's start."""

    def __init__(self, prog: str) -> None:
        try:
            width = os.get_terminal_size().columns
        except (OSError, ValueError):  # no terminal, or stdout is closed
            width = 100
        super().__init__(prog, width=max(width - 2, 40))


class _Parser(ArgumentParser):
    def __init__(self, **options: Any) -> None:
        super().__init__(**{"formatter_class": _Help, **options})


def _run(words: list[str]) -> int:
    parser = _parser([word for word in words if not word.startswith("-")][:1])
    args, rest = parser.parse_known_args(words)
    if rest:
        getattr(args, "parser", parser).error(f"unrecognized arguments: {' '.join(rest)}")
    run = getattr(args, "run", None) or getattr(args, "func", None)
    if run is None:
        parser.print_help()
        return 2
    try:
        status: int = run(args)
    except RefusalError as refusal:
        _say(refusal, words, args)
        return 1
    except UsageError as error:
        from . import output

        output.tell("error", str(error))
        output.tell("hint", f"cchooks {words[0]} --help")
        return 2
    except (KeyboardInterrupt, BrokenPipeError, OutputError):
        raise
    except Exception as error:
        if os.environ.get("CCHOOKS_DEBUG"):
            raise
        _say(_unexpected(error), words, args)
        return 1
    return status


def _unexpected(error: Exception) -> RefusalError:
    return RefusalError(
        f"unexpected {type(error).__name__}: {' '.join(str(error).split())}",
        "CCHOOKS_DEBUG=1 before the same command shows where; report that with `cchooks --version`",
    )


def _say(refusal: RefusalError, words: list[str], args: Namespace) -> None:
    from . import output

    wants_json = getattr(args, "json", False)
    output.refuse(refusal, with_snippet=not wants_json)
    if wants_json:
        output.as_json({"command": words[0], "state": "refused", **output.refusal(refusal)})


def _parser(loaded: list[str]) -> ArgumentParser:
    """The parser with the sub-commands in `loaded`; where none of them is known, with bare names for all."""
    parser = _Parser(prog="cchooks", description="Small hooks for Claude Code: install, check and read them.")
    parser.add_argument("--version", action="version", version=f"cchooks {__version__} ({sys.prefix})")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", prog="cchooks")
    shown = [name for name in loaded if name in COMMANDS] or list(COMMANDS)
    for name, (module, text) in COMMANDS.items():
        if name not in shown:
            continue
        if name in loaded:
            _load(module, subparsers)
        else:
            subparsers.add_parser(name, help=text, add_help=False)
    return parser


def _load(module: str, subparsers: _SubParsersAction[Any]) -> None:
    from importlib import import_module

    import_module(f"{__package__}.{module}").add_parser(subparsers)
    for loaded in subparsers.choices.values():
        loaded.set_defaults(parser=loaded)


if __name__ == "__main__":
    sys.exit(main())

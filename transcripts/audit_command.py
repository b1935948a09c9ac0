"""`cchooks audit`: reads session transcripts and says what happened, in numbers that count everything once."""

from __future__ import annotations

import os
import re
import sys
from argparse import RawDescriptionHelpFormatter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from cchooks_suite.errors import RefusalError, UsageError

from .moments import WHEN, option

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace, _SubParsersAction

    from .files import Progress, Transcript

_GROUPS = ("day", "session", "model", "kind")
_ABOUT = """\
Reads session transcripts and says what happened: requests, tokens, the context the model really saw, advisor calls,
compactions and whether their cause was real, sessions that were launched and whether their settings hold, hooks.

Every request counts once, however many rows and files hold it. Days and times are UTC.
"""


def add_parser(subparsers: _SubParsersAction[Any]) -> None:
    """Add the sub-command; `func` takes the parsed arguments and gives the exit status."""
    parser: ArgumentParser = subparsers.add_parser(
        "audit", help="what happened in your sessions, in numbers", description=_ABOUT
    )
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files or folders (default: the client's projects folder)"
    )
    parser.add_argument("--since", metavar="WHEN", help=f"from then on: {WHEN}")
    parser.add_argument("--until", metavar="WHEN", help="up to then; a date means to its end")
    parser.add_argument("--session", metavar="ID", default="", help="only this session; the id's beginning is enough")
    parser.add_argument("--by", choices=_GROUPS, default="day", help="how to group the requests (default: day)")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="the whole report as one JSON object")
    form.add_argument("--csv", action="store_true", help="the groups as CSV")
    parser.add_argument("--no-index", action="store_true", help="read every file anew, and keep nothing of it")
    parser.set_defaults(func=run)
    parser.formatter_class = RawDescriptionHelpFormatter  # last: each argument makes one, which imports shutil


def run(args: Namespace) -> int:
    """Print the report; 1 where nothing of what is named can be read.

    Raises:
        RefusalError: a path is not there.
        UsageError: a time cannot be understood.
    """
    import gc

    from . import eventlog, files
    from .audit import Audit
    from .table import write

    wanted = _filter(args)
    roots = _roots(args.paths)
    gc.disable()  # many small records that all stay: looking for garbage among them only costs
    with _progress(quiet=args.json or args.csv) as progress:
        found = files.collect(roots, progress, use_index=not args.no_index)
    if not found.transcripts and not found.unreadable:
        if args.paths:
            raise RefusalError(f"{roots[0]}: found no transcripts, expected .jsonl files", "cchooks audit")
        if not (args.json or args.csv):
            write(f"No transcripts yet below {roots[0]}: Claude Code writes one for each session.\n")
            return 0
    _refuse_others(args.paths, found.transcripts)
    report = Audit(found, wanted, eventlog.hook_names(eventlog.read())).report(args.by)
    _print(report, args)
    return 1 if found.unreadable and not found.transcripts else 0


def _print(report: dict[str, Any], args: Namespace) -> None:
    from .table import as_csv, write, write_json

    if args.json:
        write_json(report)
    elif args.csv:
        write(as_csv(report))
    else:
        from .report import show

        show(report)


def _filter(args: Namespace) -> Any:
    from .audit import Filter
    from .decode import encodable

    now = datetime.now(UTC)
    given = {"since": option("since", args.since, now), "until": option("until", args.until, now, end=True)}
    if given["since"] and given["until"] and given["since"] >= given["until"]:
        raise UsageError(f"--since {args.since} --until {args.until}: expected --since to be the earlier one")
    return Filter(session=encodable(args.session), **given)


def _roots(paths: list[str]) -> list[str]:
    from .files import projects_folder

    if not all(paths):
        raise UsageError("found an empty PATH, expected a file or folder")
    roots = [os.path.abspath(path) for path in paths]
    for root in roots:
        if not os.path.exists(root):
            name = os.path.basename(root)
            hint = f"cchooks audit --session {name}" if re.fullmatch("[0-9a-f-]{4,36}", name) else "cchooks audit"
            raise RefusalError(f"{root}: found nothing, expected transcripts or a folder of them", hint)
    return roots or [projects_folder()]


def _refuse_others(paths: list[str], transcripts: list[Transcript]) -> None:
    """Refuse a file that is named and has no row of a transcript in it."""
    named = {os.path.abspath(path) for path in paths}
    for transcript in transcripts:
        counts, unknown = transcript.digest.counts, transcript.digest.unknown
        odd = sum(counts.get(name, 0) for name in ("broken", "unfinished_line", "blank")) + sum(unknown.values())
        if transcript.path in named and 0 < counts.get("rows", 0) <= odd:
            found = f"{transcript.path}: found no row of a transcript, expected a .jsonl file of Claude Code"
            raise RefusalError(found, "cchooks audit FOLDER")


class _progress:  # noqa: N801 - used like a function
    """A progress bar on stderr for long work: only on a terminal, and only where rich is installed."""

    def __init__(self, *, quiet: bool) -> None:
        self.bar: Any = None
        self.quiet = quiet or not sys.stderr.isatty()
        self.task: Any = None

    def __enter__(self) -> Progress | None:
        return None if self.quiet else self.show

    def show(self, done: int, size: int) -> None:
        """Show how many of all bytes are read."""
        if self.bar is None:
            try:
                from rich.console import Console
                from rich.progress import BarColumn, DownloadColumn, Progress
            except ImportError:
                self.bar = False
                return
            console = Console(stderr=True)
            # No thread of its own: the work is shared with forked processes.
            self.bar = Progress(BarColumn(), DownloadColumn(), console=console, transient=True, auto_refresh=False)
            self.bar.start()
            self.task = self.bar.add_task("", total=size)
        if self.bar:
            self.bar.update(self.task, completed=done, refresh=True)

    def __exit__(self, *_: object) -> None:
        if self.bar:
            self.bar.stop()

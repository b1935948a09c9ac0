"""Tables of a report: as plain text, as CSV, or by rich where that is installed and somebody looks."""

from __future__ import annotations

import os
import sys
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from .decode import pretty

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


_WIDTH = 160  # columns of a line where no terminal says


class Table(Struct):
    """A title, column names (with `<` in front: aligned left), rows of text, notes; `total`: the last row is one."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    total: bool = False


def show(heading: str, tables: Iterable[Table]) -> None:
    """Print the tables to stdout."""
    console = _console()
    if console is None:
        write(heading + "\n" + "".join(f"\n{plain(table, _width())}" for table in tables))
        return
    console.print(heading, style="bold", highlight=False)
    for table in tables:
        console.print()
        room = console.width - len(table.columns)  # rich sets columns one further apart
        fitted = _fitted(table, room)
        if _wide(fitted) > room:
            console.print(plain(table, console.width), end="", markup=False, highlight=False, soft_wrap=True)
        else:
            _show_rich(console, fitted)


def _width() -> int:
    """The columns of the terminal, or what a line may take where there is none."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        return _WIDTH


def write(text: str) -> None:
    """Text to stdout, whatever its encoding cannot hold escaped.

    Raises:
        OutputError: it cannot be written.
    """
    from cchooks_suite import output

    output.say(text.removesuffix("\n"))


def write_json(value: dict[str, Any]) -> None:
    """A value as JSON to stdout, in ASCII where its encoding cannot hold the text.

    Raises:
        OutputError: it cannot be written.
    """
    text = pretty(value)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        from json import dumps

        text = dumps(value, indent=2)
    write(text)


def plain(table: Table, width: int = _WIDTH) -> str:
    """A table as aligned text.

    In one wider than `width` the columns' names are broken at their blanks; where that is not enough, the last column,
    if it is text, goes below its row.
    """
    table, lines = _fitted(table, width), [table.title]
    if table.rows and _wide(table) > width and table.columns[-1].startswith("<"):
        names, grid = _grid(table.columns[:-1], [row[:-1] for row in table.rows])
        last = table.columns[-1].removeprefix("<").replace("\n", " ")
        lines += names
        for line, row in zip(grid, table.rows, strict=True):
            lines += [line, *([f"    {last}: {printable(row[-1])}"] if row[-1] else [])]
    elif table.rows:
        names, grid = _grid(table.columns, table.rows)
        lines += names + grid
    for note in table.notes:
        lines += wrap(printable(note), width, initial_indent="  ", subsequent_indent="  ", break_long_words=False)
    return "\n".join(lines) + "\n"


def _fitted(table: Table, width: int) -> Table:
    """The table, in one wider than `width` with the columns' names broken until their cells are as wide."""
    if not table.rows or _wide(table) <= width:
        return table
    cells = zip(*table.rows, strict=True)
    return replace(table, columns=[_broken(*column) for column in zip(table.columns, cells, strict=True)])


def _broken(name: str, cells: Sequence[str]) -> str:
    words = name.removeprefix("<").split(" ")
    size = max(map(_size, [*words, *cells]))
    return ("<" if name.startswith("<") else "") + "\n".join(wrap(" ".join(words), size, break_on_hyphens=False))


def _grid(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[list[str], list[str]]:
    """The lines of the columns' names, and those of the rows, aligned."""
    names = [name.removeprefix("<").split("\n") for name in columns]
    above = max(map(len, names))
    head = [list(line) for line in zip(*([""] * (above - len(lines)) + lines for lines in names), strict=True)]
    cells = [*head, *([printable(cell) for cell in row] for row in rows)]
    sizes = [max(map(_size, column)) for column in zip(*cells, strict=True)]
    left = [name.startswith("<") for name in columns]
    padded = ([_padded(*cell) for cell in zip(row, sizes, left, strict=True)] for row in cells)
    lines = [("  " + "  ".join(row)).rstrip() for row in padded]
    return lines[:above], lines[above:]


def _padded(text: str, size: int, left: bool) -> str:
    room = " " * (size - _size(text))
    return text + room if left else room + text


def _size(text: str) -> int:
    """The columns that a text takes in a terminal: signs of some scripts take two."""
    if text.isascii():
        return len(text)
    from unicodedata import east_asian_width

    return len(text) + sum(east_asian_width(sign) in "WF" for sign in text)


def _wide(table: Table) -> int:
    """The columns that a table takes when no cell is broken."""
    cells = zip(*table.rows, strict=True) if table.rows else [()] * len(table.columns)
    names = [name.removeprefix("<").split("\n") for name in table.columns]
    return sum(max(map(_size, [*lines, *column])) + 2 for lines, column in zip(names, cells, strict=True))


def printable(text: str) -> str:
    """Text from a transcript with everything escaped that a terminal would act on."""
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def as_csv(report: dict[str, Any]) -> str:
    """The groups of a report and their total."""
    import csv
    import io

    by, text = report["by"], io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    rows = [_flat(group) for group in report["groups"]]
    total = _flat({name: value for name, value in report["totals"].items() if name != "left_out"})
    names = [by, *total]
    writer.writerow(names)
    for row in rows:
        writer.writerow([row.get(name, "") for name in names])
    writer.writerow(["total" if name == by else total.get(name, "") for name in names])
    return text.getvalue()


def _flat(group: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested numbers under joined names; lists are left to JSON."""
    flat: dict[str, Any] = {}
    for name, value in group.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{name}_")
        elif not isinstance(value, list):
            flat[prefix + name] = "" if value is None else value
    return flat


def _console() -> Any:
    """Rich's console, or None: no terminal, no colour wanted, or rich not installed."""
    if os.environ.get("NO_COLOR") or not (sys.stdout.isatty() or os.environ.get("FORCE_COLOR")):
        return None
    try:
        from rich.console import Console
    except ImportError:
        return None
    return Console()


_COLOURS = {"doubled": "red", "phantom": "yellow", "no": "red", "yes": "green", "denied": "yellow"}


def _show_rich(console: Any, table: Table) -> None:
    from rich import box
    from rich.markup import escape
    from rich.table import Table as RichTable

    drawn = RichTable(title=escape(table.title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for name in table.columns:
        left = name.startswith("<")
        drawn.add_column(escape(name.removeprefix("<")), justify="left" if left else "right", no_wrap=not left)
    for number, row in enumerate(table.rows):
        last = table.total and number == len(table.rows) - 1
        drawn.add_row(*(_cell(cell, escape) for cell in row), style="bold" if last else "")
    if table.rows:
        console.print(drawn)
    else:
        console.print(escape(table.title), style="bold")
    for note in table.notes:
        lines = wrap(printable(note), console.width - 2, break_long_words=False)
        console.print("\n".join(f"  {escape(line)}" for line in lines), highlight=False)


def _cell(cell: str, escape: Any) -> str:
    colour, text = _COLOURS.get(cell), escape(printable(cell))
    return f"[{colour}]{text}[/{colour}]" if colour else str(text)

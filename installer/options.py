"""Options that several sub-commands share."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser


def add_scopes(parser: ArgumentParser) -> None:
    """`--user` (the default), `--project`, `--local`, as `args.scope`."""
    group = parser.add_mutually_exclusive_group()
    texts = {
        "user": "your own settings, for every session (the default)",
        "project": "the repository's shared settings",
        "local": "the repository's settings of this machine alone",
    }
    for name, text in texts.items():
        group.add_argument(f"--{name}", dest="scope", action="store_const", const=name, help=text)
    parser.set_defaults(scope="user")


def add_json(parser: ArgumentParser) -> None:
    """`--json`."""
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")


def add_common(parser: ArgumentParser) -> None:
    """What the commands that write have in common."""
    add_json(parser)
    parser.add_argument("--dry-run", action="store_true", help="show the change as a diff and write nothing")
    parser.add_argument("--yes", action="store_true", help="accepted for scripts; nothing is ever asked")
    parser.add_argument("--force", action="store_true", help="go on where the command would refuse; resets your edits")
    parser.add_argument(
        "--all-matching", action="store_true", help="count entries of our names in other folders as ours too"
    )

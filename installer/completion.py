"""`cchooks completion`: a completion script for a shell, made by shtab from the parser itself."""

from __future__ import annotations

from . import output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace, _SubParsersAction


def add_parser(subparsers: _SubParsersAction[ArgumentParser]) -> None:
    """Register the sub-command."""
    parser = subparsers.add_parser(
        "completion",
        help="print a completion script for bash or zsh",
        description='Print a completion script. In bash: eval "$(cchooks completion bash)".',
    )
    parser.add_argument("shell", choices=["bash", "zsh"], help="the shell")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Carry out `cchooks completion`."""
    import shtab

    from .cli import full_parser

    output.say(shtab.complete(full_parser(), shell=args.shell))
    return 0

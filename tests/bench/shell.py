"""What reading and judging a Bash command costs, in a process that is already running: `python -m tests.bench.shell`.

Each row is the smallest of a few runs, in milliseconds of processor time. What a whole hook call costs is measured by
`tests.bench.hooks`; of that, imports and this are the part that the reader is answerable for.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from cchooks_suite.hooks import glance, shell

if TYPE_CHECKING:
    from collections.abc import Callable

USUAL = (
    'cd x && git log --oneline -10 2>&1 | head -20; for f in a b; do wc -l "$f"; done; echo "$(pwd)" || [[ -f x ]]\n'
)
PARTS = {
    "`&&`": "ls && ",
    "commands": "a;",
    "pipes": "a|",
    "background": "a&",
    "words": "a ",
    "quoted words": "'a' ",
    "expansions": '"$a" ',
    "substitutions": "$(a) ",
    "backticks": "`a` ",
    "braces": "{",
    "brackets": "a[b] ",
    "arithmetic": "$((1)) ",
    "assignments": "a=1 ",
    "redirections": ">a ",
    "here-documents": "cat <<E\n$(a)\nE\n",
    "cases": "case a in b) c;; esac\n",
    "functions": "f() { a; }\n",
    "tests": "[[ a == b ]]\n",
    "continuations": "a\\\n",
    "comments": "# a\n",
    "usual commands": USUAL,
}


def texts() -> list[tuple[str, str]]:
    """What is read: (row, text)."""
    full = shell.LIMIT - 20
    whole = [
        ("20 characters", "git status -s | head"),
        ("120 characters", USUAL),
        ("2 KB of usual commands", USUAL * (2000 // len(USUAL))),
        ("2 KB in a here-document", "cat <<'E'\n" + "a line\n" * 280 + "E"),
        ("100 KB in a here-document", "cat <<'E'\n" + "a longer line of text\n" * (full // 22) + "E"),
        ("100 KB in a word in single quotes", f"echo '{'a' * full}'"),
        ("100 KB in a word in double quotes", f'echo "{"a" * full}"'),
        ("100 KB in a plain word", "a" * full),
        ("100 KB of operands", "cat " + "a " * (full // 2)),
        ("100 KB of operands of find", "find " + "a " * (full // 2)),
        ("100 KB of operands of git", "git log -- " + "a " * (full // 2)),
        ("100 KB of operands of jq", "jq . " + "a " * (full // 2)),
        ("100 KB of options", "ls " + "-l " * (full // 3)),
        ("100 KB of one path", "cat " + "../" * (full // 3)),
        ("100 KB in a loop", "for x in " + "a b c d " * 20 + 'e f; do cat "$x" ' + "a " * (full // 2 - 100) + "; done"),
    ]
    return whole + [(f"100 KB of {name}", part * (full // len(part)) + "a") for name, part in PARTS.items()]


def smallest(call: Callable[[], object], runs: int) -> float:
    """The least processor time of a call, in milliseconds."""
    best = float("inf")
    for _ in range(runs):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best * 1000


def reading(text: str) -> str:
    """How the text is read: the number of commands, or why it is not."""
    try:
        return f"{len(shell.read(text))} commands"
    except shell.Unreadable as reason:
        return str(reason)


def main() -> int:
    """Print the table; 1 when a row takes longer than 100 ms to read."""
    slow = False
    print(f"{'text':40} {'read ms':>9} {'judge ms':>9}")
    for name, text in texts():
        runs = 7 if len(text) > 5000 else 200
        read = smallest(lambda text=text: reading(text), runs)  # type: ignore[misc]
        judge = smallest(lambda text=text: glance.is_ephemeral(text), runs)  # type: ignore[misc]
        slow = slow or read > 100
        print(f"{name:40} {read:9.3f} {judge:9.3f}  {reading(text)}")
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())

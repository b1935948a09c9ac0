"""The reader beside two other readers of Bash: `shfmt` for names and written files, `bash -n` for what is accepted.

Both only parse. Neither they nor the tests run any of these commands.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from cchooks_suite.hooks import shell

SHFMT = shutil.which("shfmt", path=sysconfig.get_path("scripts"))
BASH = shutil.which("bash")
CASES = Path(__file__).parent / "cases"

needs_bash = pytest.mark.skipif(BASH is None, reason="there is no bash on PATH")


# What the two say


def bash_accepts(text: str) -> bool:
    """Whether bash parses the text without an error or a warning."""
    done = subprocess.run(
        [str(BASH), "-n"], input=text.encode("utf-8", "surrogatepass"), capture_output=True, check=False
    )
    return done.returncode == 0 and not done.stderr


def shfmt(text: str) -> Any:
    """The syntax tree, or None where shfmt refuses the text."""
    assert SHFMT, "shfmt-py, a requirement of the tests, puts shfmt beside the interpreter"
    command = [SHFMT, "-ln", "bash", "--to-json"]
    done = subprocess.run(command, input=text.encode("utf-8", "surrogatepass"), capture_output=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def theirs(tree: Any) -> tuple[list[str], list[str]]:
    """The static names of commands and the static targets of writing redirections in shfmt's tree."""
    names: list[str] = []
    files: list[str] = []
    left = [tree]
    while left:
        node = left.pop()
        if isinstance(node, dict):
            if node.get("Type") == "CallExpr" and node.get("Args"):
                names += literal(node["Args"][0])
            if "OpPos" in node and "Word" in node:
                files += [text for text in literal(node["Word"]) if text.startswith("f")]
        left += node.values() if isinstance(node, dict) else node if isinstance(node, list) else []
    return comparable(names), comparable(files)


def literal(word: dict[str, Any]) -> list[str]:
    """The text of a word in shfmt's tree, nothing where it holds an expansion."""
    text = ""
    for part in word.get("Parts", []):
        if part["Type"] == "Lit":
            text += unescaped(part["Value"])
        elif part["Type"] == "SglQuoted":
            text += part.get("Value", "")
        elif part["Type"] == "DblQuoted":
            inner = literal(part)
            if not inner:
                return []
            text += inner[0]
        else:
            return []
    return [text]


def unescaped(text: str) -> str:
    return re.sub(r"\\(\n|.)", lambda found: found[1].strip("\n"), text, flags=re.DOTALL)


def ours(commands: list[shell.Command]) -> tuple[list[str], list[str]]:
    """The same of the reader's commands."""
    heads = [c.words[0] for c in commands if c.kind == "simple" and c.words]
    names = [head.text for head in heads if not head.dynamic]
    targets = [redirect.target for command in commands for redirect in command.redirects]
    files = [target.text for target in targets if not target.dynamic and target.text.startswith("f")]
    return comparable(names), comparable(files)


def comparable(texts: list[str]) -> list[str]:
    """Without what the two read differently.

    The reader takes every tilde behind `=` or `:` for a home folder, which is not known; shfmt has nodes of their own
    for declarations.
    """
    return sorted(text for text in texts if "~" not in text and text not in DECLARING)


DECLARING = ("declare", "export", "local", "readonly", "typeset", "let", "nameref")


def compare(text: str) -> bool:
    """Whether the reader reads the text; then both others must agree with it."""
    try:
        commands = shell.read(text)
    except shell.Unreadable:
        return False
    assert bash_accepts(text), f"bash refuses {text!r}"
    # shfmt takes the first word of a coprocess for its name, leaves `$'..'` as written, and drops carriage returns.
    tree = None if any(part in text for part in ("coproc", "$'\\", "\r")) else shfmt(text)
    if tree is not None:
        assert ours(commands) == theirs(tree), text
    return True


# Random commands that are right


class Grammar:
    """Writes commands of a few constructs, nested, in many spellings; names begin with k, files with f."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def spelled(self, name: str) -> str:
        head, tail = name[:1], name[1:]
        return self.pick(
            name, name, name, f"'{name}'", f'"{name}"', f"\\{name}", f"{head}''{tail}", f"{head}\\\n{tail}"
        )

    def name(self) -> str:
        return self.spelled(f"k{self.random.randrange(100)}")

    def file(self) -> str:
        return self.spelled(f"f{self.random.randrange(100)}")

    def word(self, depth: int) -> str:
        if depth <= 0 or self.random.random() < 0.6:
            return self.pick(
                "a", "'b c'", '"d $e"', "-f", "g=h", "$i", "${j}", "*.l", "{m,n}", "#o"[1:], "'$(p)'", "\\;", "~/q"
            )
        inner = self.list(depth - 1)
        return self.pick(
            f"$({inner})",
            f'"$({inner})"',
            f"<({inner})",
            f'"a$({inner}\n)b"',
            "${x:-" + f"$({inner})" + "}",
            '"${x:+' + f"$({inner})" + '}"',
            f"$((1 + $({inner})))",
            f"`{self.name()} a`",
        )

    def redirect(self, depth: int) -> str:
        target = self.file() if self.random.random() < 0.8 else self.word(depth - 1)
        return self.pick(">", ">>", "2>", "&>", ">|", "> ", "2>> ") + target

    def simple(self, depth: int) -> str:
        parts = [self.pick("A=1", "B=$c", "D='e f'") for _ in range(self.random.choice((0, 0, 0, 1, 2)))]
        parts.append(self.name())
        parts += [self.argument(depth) for _ in range(self.random.randrange(4))]
        if self.random.random() < 0.25:
            parts.append(self.redirect(depth))
        return self.pick(" ", "  ", " \\\n ").join(parts)

    def argument(self, depth: int) -> str:
        return self.word(depth) if self.random.random() < 0.8 else self.pick("2>&1", "</dev/null", "<<< word")

    def here_document(self, depth: int) -> str:
        tag, body = self.pick("E", "'E'", "-E"), self.word(depth - 1) if self.random.random() < 0.5 else "text"
        return f"{self.name()} <<{tag} {self.pick('', '2>&1 ')}| {self.name()}\n{body}\nE\n"

    def command(self, depth: int) -> str:
        if depth <= 0 or self.random.random() < 0.5:
            return self.simple(depth)
        a, b, c = (self.list(depth - 1) for _ in range(3))
        return self.pick(
            f"({a})",
            f"{{ {a}; }}",
            f"{{\n{a}\n}} {self.redirect(depth)}",
            f"if {a}; then {b}; else\n{c}\nfi",
            f"if {a}\nthen {b}\nelif {c}; then {a}; fi",
            f"while {a}; do {b}; done",
            f"until {a}; do\n{b}\ndone",
            f"for x in a $({b}) c; do {a}; done",
            f"for ((i = 0; i < 3; i++)); do {a}; done",
            f"case $({a}) in b) {b};; (c|d) {c} ;& *) esac",
            f"g() {{ {a}; }}",
            f"function g {{ {a}; }}",
            f"[[ -n $({a}) && x == y ]]",
            f"! {self.simple(depth)}",
            f"time {self.simple(depth)}",
            f"({a}) {self.redirect(depth)}",
        )

    def list(self, depth: int) -> str:
        text = self.command(depth)
        for _ in range(self.random.choice((0, 0, 1, 1, 2))):
            text += self.pick("; ", " && ", " || ", " | ", "\n", " & ", " |& ", " # note\n") + self.command(depth)
        return text

    def text(self) -> str:
        return self.here_document(2) if self.random.random() < 0.15 else self.list(self.random.randrange(4))


@needs_bash
@pytest.mark.parametrize("seed", range(40))
def test_random_commands(seed: int) -> None:
    grammar = Grammar(seed)
    texts = [grammar.text() for _ in range(15)]
    right = [text for text in texts if bash_accepts(text)]
    assert len(right) > 5
    for text in right:
        assert compare(text), f"not read: {text!r}"


# Random signs, most of them no commands

SOUP = """
    k1 k2 k3 k4 ; && || | |& & ( ) { } ' " ` $( $(( )) (( ${x } ${x:- ${#x} $x [[ ]] if then fi else elif while do done
    for x in case esac ;; ;& ! time function k3() < > >> 2>&1 >f1 <f2 &>f3 <<E <<'E' <<< <( >( a=1 a=( a[1]=2 b+=3 \\ #
    * ? [ ] ~ coproc select until {a,b} -f == =~ $'k4' $"k5" "k6" '' k"7" -p @ @(a|b) 2> 10 - let export
    """


@needs_bash
@pytest.mark.parametrize("seed", range(60))
def test_random_signs(seed: int) -> None:
    signs = [*SOUP.split(), "\n", "\nE\n", "\\\n", " "]
    chance = random.Random(seed)
    for _ in range(60):
        count = chance.randrange(1, 12)
        compare("".join(chance.choice(signs) + chance.choice(("", " ", " ")) for _ in range(count)))


# The collected commands


@needs_bash
@pytest.mark.parametrize("name", ["glance.jsonl", "glances.txt", "no_glances.txt"])
def test_collected_commands(name: str) -> None:
    for line in (CASES / name).read_text("utf-8").splitlines():
        compare(json.loads(line)["command"] if name.endswith(".jsonl") else line)

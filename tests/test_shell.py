"""The reader of Bash commands: what it finds, where it stands, and what it refuses."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from cchooks_suite.hooks import shell
from cchooks_suite.hooks.shell_commands import Reader
from cchooks_suite.hooks.shell_words import Budget
from hypothesis import given, settings
from hypothesis import strategies as st

CASES = Path(__file__).parent / "cases"


def names(text: str) -> list[str]:
    """The words of every simple command, joined."""
    return [" ".join(word.text for word in c.words) for c in shell.read(text) if c.kind == "simple" and c.words]


def only(text: str) -> shell.Command:
    [command] = shell.read(text)
    return command


def frames(text: str) -> dict[str, str]:
    """For each simple command, by its name: the constructs around it."""
    commands = [command for command in shell.read(text) if command.kind == "simple"]
    return {c.words[0].text: "/".join(f.kind for f in reversed(c.frame.around()[:-1])) for c in commands}


def kinds(text: str) -> list[str]:
    return [command.kind for command in shell.read(text)]


# Words


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("plain", "plain"),
        ("'a b'", "a b"),
        ('"a b"', "a b"),
        ("a'b'\"c\"d", "abcd"),
        ("''", ""),
        ("r''m", "rm"),
        (r"\rm", "rm"),
        (r"a\ b", "a b"),
        (r"a\'b", "a'b"),
        ("cla\\\nude", "claude"),
        ("'cla\\\nude'", "cla\\\nude"),
        ('"cla\\\nude"', "claude"),
        (r'"a\b\$\"\\\`"', r"a\b$" + '"\\`'),
        (r"'\n'", r"\n"),
        (r"$'a\tb\x41\101\u00e9\U0001f600\e\'\\'", "a\tbAA\u00e9\U0001f600\x1b'\\"),
        (r"$'\x72m'", "rm"),
        (r"$'\q'", r"\q"),
        ('$"text"', "text"),
        ("a#b", "a#b"),
        ("'#'", "#"),
        ("a$", "a$"),
        ('"a$"', "a$"),
        ("a=b", "a=b"),
        ("\u00e9\u00a0x", "\u00e9\u00a0x"),
        ("a\rb", "a\rb"),
        ("HEAD@{0}", "HEAD@{0}"),
        ("{}", "{}"),
        ("{a}", "{a}"),
        ("a{", "a{"),
        ("a,b", "a,b"),
        ("[", "["),
        ("a[", "a["),
        ("']'[", "]["),
        ("HEAD~3", "HEAD~3"),
        ("a%b^c@d+e:f", "a%b^c@d+e:f"),
        ("'*'\"?\"\\[x]", "*?[x]"),
        ("'{a,b}'", "{a,b}"),
        ("in", "in"),
        ("then", "then"),
        ("}", "}"),
        ("!", "!"),
    ],
)
def test_word_that_is_known(text: str, word: str) -> None:
    found = only(f"x {text}").words[1]
    assert found.text == word
    assert found.static
    assert (found.head, found.tail) == (word, word)
    assert [found.dynamic, found.glob, found.splits, found.brace] == [False] * 4


@pytest.mark.parametrize(
    ("text", "marks", "head", "tail"),
    [
        ("$x", "dynamic splits", "", ""),
        ('"$x"', "dynamic", "", ""),
        ("a$x/b", "dynamic splits", "a", "/b"),
        ('"$HOME/.local/bin/claude"', "dynamic", "", "/.local/bin/claude"),
        ("a${x}b$y.c", "dynamic splits", "a", ".c"),
        ("${x}", "dynamic splits", "", ""),
        ('"${x:-a b}"', "dynamic", "", ""),
        ('"$@"', "dynamic splits", "", ""),
        ('"$*"', "dynamic", "", ""),
        ('"${a[@]}"', "dynamic splits", "", ""),
        ('"${a[*]}"', "dynamic", "", ""),
        ("$1", "dynamic splits", "", ""),
        ("$10", "dynamic splits", "", "0"),
        ("$?", "dynamic", "", ""),
        ("$(a)", "dynamic splits", "", ""),
        ('"$(a)"', "dynamic", "", ""),
        ("`a`", "dynamic splits", "", ""),
        ('"`a`"', "dynamic", "", ""),
        ("$((1+2))", "dynamic", "", ""),
        ("<(a)", "dynamic", "", ""),
        ("x<(a)", "dynamic", "x", ""),
        ("~", "dynamic", "~", ""),
        ("~/x", "dynamic", "~", "/x"),
        ("~user/x", "dynamic", "~user", "/x"),
        ("a:~/x", "dynamic", "a:~", "/x"),
        ("*", "glob", "", ""),
        ("src/*.py", "glob", "src/", ".py"),
        ("a?", "glob", "a", ""),
        ("a[bc]d", "glob", "a", "d"),
        ("{a,b}", "glob", "", ""),
        ("x{a,b}y", "glob", "x", "y"),
        ("x{1..3}", "glob", "x", ""),
        ("{a,{b,c}}", "glob", "", ""),
        ("{a,'b c'}", "glob", "", ""),
        ("a*$x", "dynamic glob splits", "a", ""),
        ("'a*'*", "glob", "a*", ""),
    ],
)
def test_word_with_unknown_parts(text: str, marks: str, head: str, tail: str) -> None:
    found = [command for command in shell.read(f"x {text}") if command.words[0].text == "x"][-1].words[1]
    assert " ".join(name for name in ("dynamic", "glob", "splits") if getattr(found, name)) == marks
    assert (found.head, found.tail) == (head, tail)
    assert not found.static


def test_braces_are_told_from_other_patterns() -> None:
    assert only("x {a,b}").words[1].brace
    assert not only("x *").words[1].brace


@pytest.mark.parametrize(
    "text",
    ["a  'b c' \"$d\" e\\ f $(g) `h` *.i {j,k}", "A=1 b\\\nc d", "x <<< y z", "echo \u00e9\U0001f600 'z'"],
)
def test_words_know_their_place(text: str) -> None:
    host = shell.read(text)[-1]
    spans = [text[word.start : word.end] for word in host.words]
    for span, word in zip(spans, host.words, strict=True):
        assert names(f"x {span}")[-1] == f"x {word.text}"
    assert text[host.start : host.end] == text


def test_places_inside_substitutions_are_those_in_the_whole_text() -> None:
    text = "a $(b c) \"$(d 'e')\" `f g` <(h) ${x:-$(i j)} $(($(k l)))\n"
    for command in shell.read(text):
        if command.kind == "simple":
            static = [word for word in command.words if word.static]
            assert all(text[word.start : word.end].strip("'") == word.text for word in static)
            assert text[command.start : command.end].startswith(command.words[0].text)


def test_places_in_here_documents() -> None:
    text = "cat <<E\none $(b c)\nE\n"
    inner, cat = shell.read(text)
    assert text[inner.words[1].start : inner.words[1].end] == "c"
    body = cat.redirects[0]
    assert text[body.body_start : body.body_end] == body.body == "one $(b c)\n"


@pytest.mark.parametrize("text", [r"`a \`b c\``", 'x "`a \\"b\\"`"', "cat <<-E\n\t$(b c)\n\tE\n"])
def test_no_place_in_a_changed_copy(text: str) -> None:
    commands = [command for command in shell.read(text) if command.inside("substitution")]
    assert commands
    assert {command.start for command in commands if command.frame.around()[0].kind == "substitution"} <= {-1, 1, 3}
    assert any(word.start == -1 for command in commands for word in command.words)


# Assignments and redirections


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A=1 x", [("A", "1")]),
        ("A=1 B='2 3' x", [("A", "1"), ("B", "2 3")]),
        ("A= x", [("A", "")]),
        ("A=1", [("A", "1")]),
        ("A+=1 x", [("A", "1")]),
        ("A=b=c x", [("A", "b=c")]),
        ("A=$x x", [("A", "$x")]),
        ("A=* x", [("A", "*")]),
        ("_a1=2 x", [("_a1", "2")]),
        ("x A=1", []),
        ("'A=1' x", []),
        ("A'='1 x", []),
        ("\\A=1 x", []),
        ("1A=1 x", []),
        ("A-B=1 x", []),
        ("$A=1 x", []),
    ],
)
def test_assignments(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(entry.name, entry.value.text) for entry in shell.read(text)[-1].assignments] == expected


def test_assignments_of_other_forms() -> None:
    command = shell.read("a=(1 '2 3' $(b)\n# note\n) c[4]=5 d[e]+=6 f+=7 g")[-1]
    flags = [(a.name, a.append, a.array, a.subscript) for a in command.assignments]
    assert flags == [
        ("a", False, True, ""),
        ("c", False, False, "4"),
        ("d", True, False, "e"),
        ("f", True, False, ""),
    ]
    assert names("a=(1 $(b)) c") == ["b", "c"]
    assert command.assignments[0].value.dynamic
    assert not command.assignments[3].value.dynamic


def test_a_value_is_not_a_pattern_and_not_split() -> None:
    value = only("A=*$x x").assignments[0].value
    assert value.dynamic
    assert [value.glob, value.splits] == [False, False]


def test_an_array_in_a_declaration_is_one_word() -> None:
    text = "declare -a a=(1 $(b)) c=3"
    command = shell.read(text)[-1]
    assert [word.text for word in command.words] == ["declare", "-a", "a=(1 $(b))", "c=3"]
    assert command.words[2].dynamic
    assert text[command.words[2].start : command.words[2].end] == "a=(1 $(b))"


@pytest.mark.parametrize(
    ("text", "fd", "operator", "target", "writes"),
    [
        ("> f", None, ">", "f", True),
        (">f", None, ">", "f", True),
        (">> f", None, ">>", "f", True),
        (">| f", None, ">|", "f", True),
        ("<> f", None, "<>", "f", True),
        ("&> f", None, "&>", "f", True),
        ("&>> f", None, "&>>", "f", True),
        (">& f", None, ">&", "f", True),
        (">&$x", None, ">&", "$x", True),
        ("2> f", "2", ">", "f", True),
        ("12>f", "12", ">", "f", True),
        ("{fd}>f", "{fd}", ">", "f", True),
        ("2>&1", "2", ">&", "1", False),
        (">&2", None, ">&", "2", False),
        ("2>&-", "2", ">&", "-", False),
        ("3>&1-", "3", ">&", "1-", False),
        ("<&3", None, "<&", "3", False),
        ("< f", None, "<", "f", False),
        ("0< f", "0", "<", "f", False),
        ("<<< w", None, "<<<", "w", False),
        ("> 'a b'", None, ">", "a b", True),
        ("> >(a)", None, ">", ">(a)", True),
    ],
)
def test_redirections(text: str, fd: str | None, operator: str, target: str, writes: bool) -> None:
    for whole in (f"x {text} y", f"{text} x y", f"x y {text}"):
        command = shell.read(whole)[-1]
        [redirect] = command.redirects
        assert (redirect.fd, redirect.operator, redirect.target.text, redirect.writes) == (fd, operator, target, writes)
        assert [word.text for word in command.words] == ["x", "y"]
        assert whole[redirect.start : redirect.end] == text


def test_what_is_no_descriptor() -> None:
    assert [word.text for word in only("x a2>f").words] == ["x", "a2"]
    assert [word.text for word in only("x 2 >f").words] == ["x", "2"]
    assert [word.text for word in only("x '2'>f").words] == ["x", "2"]
    assert [word.text for word in only("x {1}>f").words] == ["x", "{1}"]


def test_a_file_alone_is_opened() -> None:
    command = only("> f")
    assert not command.words
    assert command.redirects[0].writes


def test_redirections_of_a_compound_command() -> None:
    for compound in ("{ x; }", "(x)", "if x; then x; fi", "while x; do x; done", "for a in b; do x; done"):
        commands = shell.read(f"{compound} > f 2>&1 3<g &>> h")
        seen = [(redirect.fd, redirect.operator, redirect.target.text) for redirect in commands[-1].redirects]
        assert seen == [(None, ">", "f"), ("2", ">&", "1"), ("3", "<", "g"), (None, "&>>", "h")]
        assert commands[-1].kind == "group"
        inner = next(command for command in commands if command.kind == "simple")
        assert commands[-1].redirects in [frame.redirects for frame in inner.frame.around()]


# Here-documents


@pytest.mark.parametrize(
    ("text", "bodies"),
    [
        ("cat <<E\na\nb\nE\n", ["a\nb\n"]),
        ("cat <<E\nE", [""]),
        ("cat <<'E F'\na\nE F\n", ["a\n"]),
        ("cat <<-E\n\ta\n\t\tE\n", ["a\n"]),
        ("cat <<A <<B\n1\nA\n2\nB\n", ["1\n", "2\n"]),
        ("cat <<A | cat <<B\n1\nA\n2\nB\n", ["1\n", "2\n"]),
        ("cat <<E |\na\nE\ncat", ["a\n"]),
        ("cat <<E && x\n E\nE\n", [" E\n"]),
        ("cat <<E\nEE\nE\n", ["EE\n"]),
        ("cat <<\\E\n$(b)\nE\n", ["$(b)\n"]),
        ("cat <<E 2>&1 | x\na\nE\n", ["a\n"]),
        ("{ cat <<E; }\na\nE\n", ["a\n"]),
        ("(cat <<E)\na\nE\n", ["a\n"]),
        ("x $(cat <<E\na\nE\n)", ["a\n"]),
        ("while x; do y; done <<E\na\nE\n", ["a\n"]),
        ("cat <<$'E'\na\nE", ["a\n"]),
        ("cat <<E \\\n| x\na\nE", ["a\n"]),
        ("cat <<E # note\na\nE", ["a\n"]),
        ("cat <<E\na\\\nE\nE", ["a\\\nE\n"]),
        ("cat <<'E'\na\\\nE", ["a\\\n"]),
    ],
)
def test_bodies(text: str, bodies: list[str]) -> None:
    found = [
        redirect.body for command in shell.read(text) for redirect in command.redirects if redirect.body is not None
    ]
    assert found == bodies


def test_what_follows_a_body_is_read() -> None:
    assert names("cat <<E\nrm x\nE\nls") == ["cat", "ls"]
    assert names("cat <<E | sh\nrm x\nE\nls") == ["cat", "sh", "ls"]


@pytest.mark.parametrize("inner", ["$(k)", "`k`", "${x:-$(k)}", "$(($(k)))", '"$(k)"', "'$(k)'", "\\\\$(k)"])
def test_an_unquoted_body_is_expanded(inner: str) -> None:
    assert names(f"cat <<E; y\n{inner}\nE\n") == ["k", "cat", "y"]


@pytest.mark.parametrize("inner", ["\\$(k)", "\\`k\\`", "$k", "k"])
def test_what_is_no_command_in_a_body(inner: str) -> None:
    assert names(f"cat <<E\n{inner}\nE\n") == ["cat"]


def test_a_quoted_delimiter_makes_a_body_literal() -> None:
    for delimiter in ("'E'", '"E"', "\\E", "E''"):
        assert names(f"cat <<{delimiter}\n$(k)\nE\n") == ["cat"]
        assert only(f"cat <<{delimiter}\n$(k)\nE\n").redirects[0].literal


# Constructs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", {"a": ""}),
        ("a; b\nc", {"a": "", "b": "", "c": ""}),
        ("a && b || c; d", {"a": "", "b": "and", "c": "or", "d": ""}),
        ("a | b |& c", {"a": "pipe", "b": "pipe", "c": "pipe"}),
        ("a && b | c", {"a": "", "b": "and/pipe", "c": "and/pipe"}),
        ("a & b", {"a": "background", "b": ""}),
        ("a && b & c", {"a": "background", "b": "background/and", "c": ""}),
        ("a | b & c", {"a": "background/pipe", "b": "background/pipe", "c": ""}),
        ("a | time b", {"a": "pipe", "b": "pipe/time"}),
        ("(a; b)", {"a": "subshell", "b": "subshell"}),
        ("{ a; }", {"a": "brace"}),
        ("! a", {"a": "not"}),
        ("time -p a", {"a": "time"}),
        ("time ! a | b", {"a": "time/not/pipe", "b": "time/not/pipe"}),
        (
            "if a; then b; elif c; then d; else e; fi",
            {"a": "if", "b": "if/then", "c": "if/elif", "d": "if/then", "e": "if/else"},
        ),
        ("while a; do b; done", {"a": "while", "b": "while/body"}),
        ("until a; do b; done", {"a": "until", "b": "until/body"}),
        ("for x in 1; do a; done", {"a": "for/body"}),
        ("for x; do a; done", {"a": "for/body"}),
        ("for x\ndo a; done", {"a": "for/body"}),
        ("for ((;;)); do a; done", {"a": "for/body"}),
        ("select x in 1; do a; done", {"a": "select/body"}),
        ("case x in 1) a;; (2|3) b;& *) c; esac", {"a": "case/item", "b": "case/item", "c": "case/item"}),
        ("f() { a; }", {"a": "function/brace"}),
        ("f () (a)", {"a": "function/subshell"}),
        ("function f { a; }", {"a": "function/brace"}),
        ("function f() { a; }", {"a": "function/brace"}),
        ("f()\n{ a; }", {"a": "function/brace"}),
        ("coproc a", {"a": "coproc"}),
        ("coproc X { a; }", {"a": "coproc/brace"}),
        ("x $(a)", {"a": "substitution", "x": ""}),
        ("x <(a)", {"a": "process", "x": ""}),
        ("(a) && b", {"a": "subshell", "b": "and"}),
        ("{ a | b; } | c", {"a": "pipe/brace/pipe", "b": "pipe/brace/pipe", "c": "pipe"}),
        (
            "$(a | b) & c",
            {
                "a": "background/substitution/pipe",
                "b": "background/substitution/pipe",
                "$(a | b)": "background",
                "c": "",
            },
        ),
    ],
)
def test_constructs_around_commands(text: str, expected: dict[str, str]) -> None:
    assert frames(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[ -f a && $b == c ]]", ["test"]),
        ("[[ a =~ ^(b|c)\\ d$ ]]", ["test"]),
        ("[[ a == @(b|c)* ]]", ["test"]),
        ("[[ (a) || ! -n $(b) ]]", ["simple", "test"]),
        ("[[\n! -f a\n&& (\nb == c\n) ||\nd ]]", ["test"]),
        ("((1 + 2))", ["arith"]),
        ("echo $((1 + $(b)))", ["simple", "arith", "simple"]),
        ("echo ${a[1]}", ["arith", "simple"]),
        ("echo ${a[@]}", ["simple"]),
        ("echo ${a:1:2}", ["arith", "simple"]),
        ("echo ${a:=1}", ["assign", "simple"]),
        ("echo ${a=1}", ["assign", "simple"]),
        ("echo ${!a}", ["indirect", "simple"]),
        ("echo ${!a@} ${!a*} ${!a[@]}", ["indirect"] * 3 + ["simple"]),
        ("echo \"${a:-'b'}\" \"${a['b']}\"", ["arith", "simple"]),
        ("echo ${a:-1} ${a#1} ${a/1/2} ${a^^} ${#a} ${a@Q}", ["simple"]),
        ("time a", ["time", "simple"]),
        ("f() { a; }", ["function", "simple"]),
        ("for x in 1; do a; done", ["for", "simple"]),
        ("case x in 1) a;; esac", ["case", "simple"]),
        ("while a; do b; done", ["while", "simple", "simple"]),
        ("coproc a", ["coproc", "simple"]),
        ("a[1]=2", ["arith", "simple"]),
        ("((a); b)", ["simple", "simple"]),
        ("(($(a)); b)", ["simple", "simple", "simple"]),
        ("((a 'it)s' | b) > c)", ["simple", "simple", "group"]),
        ("echo $((for ((;;)); do a 'b)'; done) | c)", ["arith", "simple", "simple", "simple"]),
        ("echo $((a); b)", ["simple", "simple", "simple"]),
        ("", []),
        ("  \n\t\n# note", []),
        ("# note\na", ["simple"]),
        ("a # note ' \" $( \nb", ["simple", "simple"]),
    ],
)
def test_kinds(text: str, expected: list[str]) -> None:
    assert kinds(text) == expected


def test_header_words() -> None:
    assert [word.text for word in shell.read("for x in a $b *; do c; done")[0].words] == ["x", "a", "$b", "*"]
    assert [word.text for word in shell.read("case $a in b|c) d;; (e) ;; esac")[0].words] == ["$a", "b", "c", "e"]
    assert [word.text for word in only("[[ ! -f a && b == c* ]]").words] == ["!", "-f", "a", "&&", "b", "==", "c*"]
    assert shell.read("f() { a; }")[1].frame.around()[1].name == "f"
    assert shell.read("for x in a; do c; done")[1].frame.around()[1].name == "x"


def test_pipes_are_followed() -> None:
    a, b, c = shell.read("a | { b; } | c")
    assert a.frame.source is None
    assert b.frame.around()[1].source is a.frame
    assert c.frame.source is b.frame.around()[1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("E; x", True),
        ("E\nx", True),
        ("E && x", True),
        ("E && a && x", True),
        ("a && E && x", True),
        ("E || x", True),
        ("{ E; }; x", True),
        ("E; (x)", True),
        ("E; a | x", True),
        ("E; $(x)", True),
        ("E; x &", True),
        ("(E; x)", True),
        ("if E; then x; fi", True),
        ("if a; then E; x; fi", True),
        ("if a; then E && x; fi", True),
        ("while E; do x; done", True),
        ("for a in b; do E; x; done", True),
        ("f() { E; x; }", True),
        ("! E; x", True),
        ("E; if a; then x; fi", True),
        ("E && { a; x; }", True),
        ("a && E; x", False),
        ("a || E; x", False),
        ("a || E && x", False),
        ("E && a || x", True),
        ("a && E || x", False),
        ("(E); x", False),
        ("E | a; x", False),
        ("a | E; x", False),
        ("E & x", False),
        ("$(E); x", False),
        ("if a; then E; fi; x", False),
        ("if a; then E; else x; fi", False),
        ("for a in b; do E; done; x", False),
        ("while a; do E; done; x", False),
        ("case a in b) E;; c) x;; esac", False),
        ("f() { E; }; x", False),
        ("E > $(x)", False),
        ("cat <(E); x", False),
        ("coproc E; x", False),
    ],
)
def test_what_surely_ran_before(text: str, expected: bool) -> None:
    found = {c.words[0].text: c for c in shell.read(text) if c.kind == "simple"}
    order = [c.words[0].text for c in shell.read(text) if c.kind == "simple"]
    earlier = order.index("E") < order.index("x")
    assert (earlier and shell.runs_before(found["E"], found["x"])) == expected


def test_conditional_and_shell() -> None:
    a, b, c = shell.read("a && (b; c)")
    assert (a.conditional, b.conditional, c.conditional) == (False, False, False)
    assert (a.shell.kind, b.shell.kind) == ("shell", "subshell")
    assert shell.read("a && b")[1].conditional
    assert shell.read("if a; then { b; }; fi")[1].conditional


# The bypass classes that broke others


@pytest.mark.parametrize("separator", [";", "&&", "||", "|", "|&", "&", "\n", " ;\n", "&& \\\n", "|\n\n", "; # note\n"])
def test_every_segment_is_seen(separator: str) -> None:
    assert names(f"ls {separator} rm x") == ["ls", "rm x"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("VAR=x rm", ["rm"]),
        ("VAR=$(k) rm", ["k", "rm"]),
        ("time rm", ["rm"]),
        ("! rm", ["rm"]),
        ("2>&1 rm", ["rm"]),
        (">f rm x", ["rm x"]),
        ("<f A=1 rm", ["rm"]),
        ("coproc rm", ["rm"]),
        ("if rm; then :; fi", ["rm", ":"]),
    ],
)
def test_what_stands_in_front_hides_nothing(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    "spelling", ["rm", "r''m", "\\rm", '"rm"', "$'\\x72m'", "r\\\nm", "$'rm'", '$"rm"', "'r'\"m\"", "\\r\\m"]
)
def test_spellings_of_a_name(spelling: str) -> None:
    command = only(f"{spelling} x")
    assert command.words[0].text == "rm"
    assert command.words[0].static


@pytest.mark.parametrize("name", ["$x", "r$IFS", "{rm,x}", "r?", "$(echo rm)", "`echo rm`", "~/rm", "$'r'$m", "r[m]"])
def test_names_that_are_not_known(name: str) -> None:
    assert not shell.read(f"{name} x")[-1].words[0].static


@pytest.mark.parametrize(
    "text",
    [
        'x "$(k)"',
        'x "a`k`b"',
        "x ${y:-$(k)}",
        'x "${y:-"$(k)"}"',
        "x ${y/a/`k`}",
        "x $((1 + $(k)))",
        "x $((a[$(k)]))",
        "x ${a[$(k)]}",
        "x ${a:$(k)}",
        "a[$(k)]=1 x",
        "a=([$(k)]=1) x",
        "[[ -n $(k) ]] && x",
        "[[ a == $(k) ]] && x",
        "[[ a =~ (b|$(k)) ]] && x",
        "[[ a -eq 1 || `k` ]] && x",
        "for i in $(k); do x; done",
        "case $(k) in *) x;; esac",
        "case a in $(k)) x;; esac",
        "x <(k)",
        "x > >(k)",
        "x > $(k)",
        "x < `k`",
        "x <<< $(k)",
        "x <<E\n$(k)\nE",
        "x <<E\n`k`\nE",
        "x <<E\n${y:-`k`}\nE",
        "((1 + $(k))) && x",
        "for ((i=$(k);;)); do x; done",
        "x $( ( k ) )",
        "x $(case a in a) k;; esac)",
        "x $(# it's a note\nk)",
        "x $(cat <<E\n$(k)\nE\n)",
        "x `echo \\`k\\``",
        "x ${y:-<(k)}",
        "x ${y:-<$(k)}",
        "x ${y[z[1]]:-$(k)}",
        "x ${y[z[$(k)]]}",
        "y=(<(k) b) x",
        "x ${y:+${z:-$(k)}}",
        "declare a=$(k) && x",
        "select i in $(k); do x; done",
    ],
)
def test_commands_where_nobody_looks(text: str) -> None:
    found = names(text)
    assert "k" in found
    assert any(name.split()[0] == "x" for name in found)


@pytest.mark.parametrize(
    "text",
    [
        "x '$(k)'",
        "x '`k`'",
        'x "\\$(k)"',
        'x "\\`k\\`"',
        "x # $(k)",
        "x <<'E'\n$(k)\nE",
        "x <<E\n\\$(k)\nE",
        "x $'$(k)'",
        "x '<(k)'",
        'x "<(k)"',
        "x \\`k\\`",
    ],
)
def test_text_is_not_taken_for_a_command(text: str) -> None:
    assert [name.split()[0] for name in names(text)] == ["x"]


@pytest.mark.parametrize(
    "text",
    [
        "cat <<'E' 2>&1 | rm\nbody\nE",
        "cat <<A <<B | rm\n1\nA\n2\nB",
        "cat <<E; rm\nx\nE",
        "<<E cat | rm\nx\nE",
        "cat <<< x > f | rm",
        "while case a in a) cat;; esac do rm; done",
    ],
)
def test_no_command_is_dropped(text: str) -> None:
    assert {"cat", "rm"} <= {name.split()[0] for name in names(text)}


def test_redefined_names_are_shown() -> None:
    assert kinds("ls() { rm x; }; ls") == ["function", "simple", "simple"]


# What is refused


@pytest.mark.parametrize(
    "text",
    [
        "a 'b",
        'a "b',
        "a `b",
        "a $(b",
        "a ${b",
        "a $((1",
        "((1",
        "a \\",
        "a <<E\nb",
        "a <<E",
        "a <<E; b",
        "x $(cat <<E)\nb\nE",
        "(a",
        "{ a",
        "{ a; ",
        "if a; then b",
        "while a; do b",
        "case a in b) c",
        "for a in b; do c",
        "[[ a",
        "a=(b",
        "f() {",
        "a )",
        "a ;; b",
        "a & ; b",
        "; a",
        "& a",
        "| a",
        "&& a",
        "a &&",
        "a |",
        "a | | b",
        "a && || b",
        "( )",
        "{ }",
        "if ; then a; fi",
        "if a; then fi",
        "fi",
        "then a",
        "a; done",
        "done",
        "esac",
        "}",
        "do a",
        "elif a",
        "in",
        "]]",
        "a | ! b",
        "{ a; } b",
        "(a) b",
        "if a; then b; fi c",
        "f() a",
        "f() { a; } b",
        "A=1 f() { a; }",
        "'f'() { a; }",
        "f$x() { a; }",
        "a=(b)c",
        "a=(b & c)",
        "a=(b; c)",
        "echo a=(b)",
        "a b(c)",
        "a (b)",
        "for 1a in b; do c; done",
        "for $a in b; do c; done",
        "for 'a' in b; do c; done",
        "function 'f' { a; }",
        "for a b; do c; done",
        "for ((a;b)); do c; done",
        "function f a",
        "[[ ]]",
        "[[ -f ]]",
        "[[ a b ]]",
        "[[ a == ]]",
        "[[ a -z b ]]",
        "[[ ( a ]]",
        "[[ a && ]]",
        "[[ a ] ]",
        "[[ a\n]]",
        "[[ a\n== b ]]",
        "[[ a ==\nb ]]",
        "[[ -f\na ]]",
        "[[ <(a) == b ]]",
        "[[ a == <(b) ]]",
        "a >",
        "a > ;",
        "a > > b",
        "a 2> 3> b",
        "a <<",
        "a <<< ",
        "a >\n",
        "a $[1]",
        "a ${b@P}",
        "a ${b@z}",
        "a ${ b; }",
        "a ${| b; }",
        "a ${}",
        "a ${b c}",
        "a ${#b:1}",
        "a $\\\n(b)",
        "a &\\\n& b",
        "a <\\\n(b)",
        "a &\\\n> f",
        "a <<\\\n-E\n\tb\n\t-E\nE\n",
        "a=(>f)",
        "a=(<f)",
        "a $'\\c[x'",
        "a $'\\x'",
        "a $'\\0'",
        "a $'\\xff'",
        "a <<$b\nc\n$b",
        "a <<EOF\nEO\\\nF\nEOF",
        "a <<E $(b\nc)\nd\nE",
        "a <<E\n$(b\nE\n",
        "a <<E\n`b\nE\n",
        "a <<E\n${b\nE\n",
        "a[1 2]=3",
        "a[",
        "a \"${b:-'}'}\"",
        "a @(b|c)",
        "a !(b)",
        "a\0b",
        "coproc a; then b",
        "coproc a fi",
        "coproc coproc a",
        "! !",
        "!",
        "time",
    ],
)
def test_refusals(text: str) -> None:
    with pytest.raises(shell.Unreadable) as caught:
        shell.read(text)
    assert 0 < len(str(caught.value)) < 90


def test_unreadable_is_a_value_error() -> None:
    assert issubclass(shell.Unreadable, ValueError)


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("( ", ")"),
        ("{ ", "; }"),
        ("if a; then ", "; fi"),
        ("while a; do ", "; done"),
        ("x $(", ")"),
        ('x "$(', ')"'),
        ("x <(", ")"),
        ("x ${a:-", "}"),
    ],
)
def test_depth(opening: str, closing: str) -> None:
    assert shell.read(opening * shell.DEPTH + "k" + closing * shell.DEPTH)
    with pytest.raises(shell.Unreadable, match="constructs"):
        shell.read(opening * (shell.DEPTH + 1) + "k" + closing * (shell.DEPTH + 1))


def test_length() -> None:
    assert len(shell.read("a" * shell.LIMIT)) == 1
    with pytest.raises(shell.Unreadable, match="longer"):
        shell.read("a" * (shell.LIMIT + 1))


@pytest.mark.parametrize("part", ["a;", "a|", "a&", "$(a)", "`a`", "(a);", "f(){ a; };", ">f ", "<(a) ", "a&&"])
def test_number_of_commands_and_constructs(part: str) -> None:
    with pytest.raises(shell.Unreadable):
        shell.read((part * 1000) + "a", 900)
    assert shell.read((part * 100) + "a", 900)


def test_here_documents_on_a_line() -> None:
    def text(count: int) -> str:
        return "cat " + "<<E " * count + "\n" + "E\n" * count

    assert len(only(text(shell.HERE_DOCUMENTS)).redirects) == 16
    with pytest.raises(shell.Unreadable, match="here-documents"):
        shell.read(text(shell.HERE_DOCUMENTS + 1))


def test_probes_for_arithmetic_are_counted() -> None:
    assert names("((a); b);" * shell.PROBES) == ["a", "b"] * shell.PROBES
    with pytest.raises(shell.Unreadable, match="arithmetic"):
        shell.read("((a); b);" * (shell.PROBES + 1))


# Anything at all


@pytest.mark.parametrize("name", ["glance.jsonl", "glances.txt", "no_glances.txt"])
def test_every_case_is_read_or_refused(name: str) -> None:
    for line in (CASES / name).read_text("utf-8").splitlines():
        read_or_refused(json.loads(line)["command"] if name.endswith(".jsonl") else line)


def read_or_refused(text: str) -> list[shell.Command]:
    try:
        return shell.read(text)
    except shell.Unreadable:
        return []


SIGNS = st.sampled_from(
    [*" \t\n;&|<>()$`'\"\\{}[]*?#!~=-+:@%^,/.0123abx", "$(", "${", "$((", "))", "<<E", "\nE\n", "[["]
)
WORDS = """
    if then elif else fi for in do done while until case esac select function time coproc ! [[ ]] { } a=1 f() ;; ;& &&
    || |& <<< <( >( 2>&1 >f <<'E' $'x' "$x" x y $(k) `k` ${x:-y} ((1)) a=(1) -f == =~ ; | & ( )
    """


@settings(max_examples=300)
@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    read_or_refused(text)


@settings(max_examples=400)
@given(st.lists(SIGNS, max_size=60).map("".join))
def test_any_signs_are_read_or_refused(text: str) -> None:
    commands = read_or_refused(text)
    for command in commands:
        assert -1 <= command.start <= command.end <= len(text)
        assert all(-1 <= word.start <= word.end <= len(text) for word in command.words)


@settings(max_examples=400)
@given(st.lists(st.sampled_from(WORDS.split()), max_size=25).map(" ".join))
def test_any_words_are_read_or_refused(text: str) -> None:
    commands = read_or_refused(text)
    for command in commands:
        if command.start >= 0 and command.words:
            assert text[command.start : command.end].strip()


class CountedText(str):
    """A text that counts the looks at its characters and the characters that are cut out of it."""

    __slots__ = ("looks",)
    looks: int

    def __getitem__(self, key: object) -> str:
        self.looks += 1
        found = super().__getitem__(key)  # type: ignore[index]
        self.looks += len(found) if isinstance(key, slice) else 0
        return found


PARTS = [
    *("a && ", "a b ", "a\\\n", "a | b; ", "a & ", "a=1 ", "a=(1); ", ">f ", "# note\n", "cat <<E\n$(k)\nE\n"),
    *("'a' ", '"a" ', '"$a" ', "$'a' ", "$(a) ", "`a` ", "${a:-b} ", "$((1)) ", "<(a) ", "{a,b} ", "[a] ", "~ ", "* "),
    *(
        "if a; then b; fi\n",
        "case a in b) c;; esac\n",
        "[[ a == b ]]; ",
        "f() { a; }; ",
        "{ a; }; ",
        "(a); ",
        "((1)); ",
    ),
    *("'", '"', "`", "$(", "${", "(", "{", "[", "<<", "$((", "((", "\\", "[[ ", "a[", "${a['x']"),
]


@pytest.mark.parametrize("part", PARTS)
def test_the_work_grows_with_the_length_and_no_faster(part: str) -> None:
    def work(count: int) -> int:
        text = CountedText(part * count + "\0")
        text.looks = 0
        reader = Reader(text, 0, [], shell.Frame("shell", None), 0, Budget(shell.STEPS))
        with contextlib.suppress(shell.Unreadable):
            reader.whole()
        return text.looks

    short, long = work(50), work(250)
    assert long <= 5.5 * short + 200

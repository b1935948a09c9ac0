"""The judge of glances: the collected verdicts, cases of each tool in both directions, the config's own commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cchooks_suite.hooks import glance, shell, tools
from hypothesis import given, settings
from hypothesis import strategies as st

CASES = Path(__file__).parent / "cases"
COLLECTED = [json.loads(line) for line in (CASES / "glance.jsonl").read_text("utf-8").splitlines()]


def listed(name: str) -> list[str]:
    return [line for line in (CASES / name).read_text("utf-8").splitlines() if not line.startswith("##")]


GLANCES = listed("glances.txt")
OTHERS = listed("no_glances.txt")


@pytest.mark.parametrize("case", COLLECTED, ids=lambda case: case["id"])
def test_collected_verdict(case: dict[str, str]) -> None:
    assert glance.is_ephemeral(case["command"]) == (case["verdict"] == "glance"), case["why"]


@pytest.mark.parametrize("command", GLANCES)
def test_only_looks(command: str) -> None:
    assert glance.is_ephemeral(command)


@pytest.mark.parametrize("command", OTHERS)
def test_does_more_than_look(command: str) -> None:
    assert not glance.is_ephemeral(command)


@pytest.mark.parametrize(
    "command",
    [
        "cat <<'EOF'\n$(rm x)\nEOF",
        "cat <<EOF\nplain $HOME text\nEOF",
        "cat <<EOF | head -1\n$(date)\nEOF",
        "grep x <<EOF && ls\na\nEOF",
        "git status && # look\ngit log -1",
        "git log \\\n  --oneline \\\n  -5",
        "if [ -f a ]\nthen\n  cat a\nfi",
        "for f in a b\ndo\n  wc -l $f\ndone",
        "case x in\na) ls ;;\nesac",
        "ls\n\n\npwd\n",
        "cat \\\na",
    ],
)
def test_only_looks_over_several_lines(command: str) -> None:
    assert glance.is_ephemeral(command)


@pytest.mark.parametrize(
    "command",
    [
        "",
        "   \n",
        "# only a comment",
        "cat <<EOF > f\nx\nEOF",
        "cat <<EOF\n$(rm x)\nEOF",
        "cat <<EOF\n${x:-`rm x`}\nEOF",
        "cat <<'EOF' | bash\nls\nEOF",
        "cat <<EOF\nbody without its end",
        "cat <<EOF; rm x\nbody\nEOF",
        'echo "a\nb" > f',
        "ls \\\n> f",
        "ls;\\\nrm x",
        "l\\\ns; r\\\nm x",
        "git log \\\n--output=x",
        "ls\rrm",
        "ls\x00",
        "ls\u2028rm x",
        "sed -n '1,5{p;w f\n}' a",
        "sed -n '1p\nw f' a",
        "jq -n 'def f:\nf; f'",
        "time\nls",
        "ls &\nrm x",
        "rm x &\nls",
        "ls\n}\n",
    ],
)
def test_does_more_than_look_over_several_lines(command: str) -> None:
    assert not glance.is_ephemeral(command)


def test_a_command_over_the_readers_limit_is_none() -> None:
    text = "a" * (shell.LIMIT - len("echo ''"))
    assert glance.is_ephemeral(f"echo '{text}'")
    assert not glance.is_ephemeral(f"echo '{text}a'")


def test_very_many_commands_are_none() -> None:
    assert glance.is_ephemeral("ls; " * 900)
    assert not glance.is_ephemeral("ls; " * 1100)


def test_very_many_words_are_none() -> None:
    assert glance.is_ephemeral("ls " + "a " * (glance.WORDS - 1))
    assert not glance.is_ephemeral("ls " + "a " * (glance.WORDS + 1))
    names = " ".join(f"f{number}" for number in range(99))
    assert glance.is_ephemeral(f"for x in {names}; do cat $x a b; done")
    assert not glance.is_ephemeral(f"for x in {names}; do cat $x {'a ' * 200}; done")


class TestLoops:
    """What a loop's variable goes through is judged word by word, where it is known."""

    @pytest.mark.parametrize("words", ["log", "log status", "log 'status'"])
    def test_known_words_that_only_look(self, words: str) -> None:
        assert glance.is_ephemeral(f"for x in {words}; do git $x; done")

    @pytest.mark.parametrize(
        "words", ["log push", "push", "'log --output=f'", "lo*", "{log,push}", "$y log", "$(y)", '"$y"', "'' log", ""]
    )
    def test_one_that_does_more_or_is_not_known(self, words: str) -> None:
        assert not glance.is_ephemeral(f"for x in {words}; do git $x; done")

    @pytest.mark.parametrize(
        "command",
        [
            "for x in log; do ls; done; git $x",
            "for x in log; do for x in push; do ls; done; git $x; done",
            "for x in log; do git '$x'; done",
            "for x in log; do git ${x}y; done",
            "for x in log; do git ${x:-push}; done",
            "for x in log; do git $xy; done",
            "for x; do git $x; done",
        ],
    )
    def test_where_the_variable_is_another(self, command: str) -> None:
        assert not glance.is_ephemeral(command)

    @pytest.mark.parametrize(
        "command", ['sort "$x"', 'sed -n 1p "$x"', 'tail -n 3 "$x.txt"', 'git log -1 -- "$x"', "cat $x"]
    )
    def test_patterns_that_begin_well(self, command: str) -> None:
        assert glance.is_ephemeral(f"for x in src/*.py b?; do {command}; done")

    @pytest.mark.parametrize(
        ("words", "command"),
        [
            ("*.py", 'sort "$x"'),
            ("src/*.py", "sort $x"),
            ("{-o,y}", 'sort "$x"'),
            ("-*", 'sort "$x"'),
            ("src/*.py", 'git "$x"'),
            ("src/*.py", 'uniq a "$x"'),
            ("src/* $y", 'sort "$x"'),
        ],
    )
    def test_patterns_that_may_turn_out_to_be_options(self, words: str, command: str) -> None:
        assert not glance.is_ephemeral(f"for x in {words}; do {command}; done")

    def test_a_long_list_counts_as_unknown(self) -> None:
        known = " ".join(f"f{number}" for number in range(glance.LOOP_WORDS))
        assert glance.is_ephemeral(f"for x in {known} f1; do sort $x; done")
        assert not glance.is_ephemeral(f"for x in {known} more; do sort $x; done")


class TestAllowed:
    """Commands that the config names."""

    @pytest.mark.parametrize(
        ("command", "entry"),
        [
            ("make -n", "make -n"),
            ("make -n all", "make -n"),
            ("make -n && git status", "make -n"),
            ("cargo tree --depth 1 2>&1 | head", "cargo tree"),
            ("cargo tree", "cargo  tree "),
            ("'make' -n", "make -n"),
            ("npm ls 'a b'", "npm ls"),
            ("./ci status", "./ci status"),
            ("git fetch --dry-run", "git fetch --dry-run"),
        ],
    )
    def test_by_its_leading_words(self, command: str, entry: str) -> None:
        assert not glance.is_ephemeral(command)
        assert glance.is_ephemeral(command, ["other", entry])

    @pytest.mark.parametrize(
        ("command", "entry"),
        [
            ("make", "make -n"),
            ("make -B -n", "make -n"),
            ("make -nB", "make -n"),
            ("cargo treetop", "cargo tree"),
            ("make -n $x", "make -n"),
            ("make -n *.x", "make -n"),
            ("make -n $(rm x)", "make -n"),
            ("make -n > f", "make -n"),
            ("make -n 2> f", "make -n"),
            ("make -n &", "make -n"),
            ("make -n; rm x", "make -n"),
            ("A=1 make -n", "make -n"),
            ("sudo make -n", "make -n"),
            ("f() { make -n; }; f", "make -n"),
            ("rm x", ""),
            ("rm x", " "),
            ("make -n", "MAKE -N"),
        ],
    )
    def test_only_as_plain_text_without_more(self, command: str, entry: str) -> None:
        assert not glance.is_ephemeral(command, [entry])


def test_the_table_says_nothing_twice() -> None:
    for table in (tools.TOOLS, tools.GIT):
        for name, tool in table.items():
            words = [word.rstrip("=?~") for word in tool.options.split() if word.startswith("--")]
            assert len(words) == len(set(words)), name


@settings(max_examples=300)
@given(
    st.lists(st.sampled_from([*GLANCES, *OTHERS[:200]]), min_size=1, max_size=4),
    st.sampled_from(["; ", " && ", "\n", " || "]),
)
def test_a_list_is_a_glance_when_each_of_its_members_is(commands: list[str], joint: str) -> None:
    commands = [command for command in commands if "#" not in command and not command.rstrip().endswith((";", "&"))]
    commands = [command for command in commands if readable(command)]
    if commands:
        assert glance.is_ephemeral(joint.join(commands)) == all(map(glance.is_ephemeral, commands))


def readable(command: str) -> bool:
    """Whether it is a whole command, which does not swallow what is put behind it."""
    try:
        return bool(shell.read(command))
    except shell.Unreadable:
        return False


@settings(max_examples=300)
@given(st.sampled_from(GLANCES), st.sampled_from(["rm x", "$x", "./ls", "tee f", "git push"]))
def test_no_glance_hides_a_command_that_is_none(command: str, other: str) -> None:
    for text in (
        f"{command}\n{other}",
        f"{other}; {command}",
        f"echo $({other}); {command}",
        f"({other}) && {command}",
    ):
        assert not glance.is_ephemeral(text)


@settings(max_examples=500)
@given(st.text(st.sampled_from(" \t\n;&|<>()$`'\"\\{}[]*?#!~=-abdlrs/,.1") | st.characters(), max_size=60))
def test_any_text_has_a_verdict(text: str) -> None:
    assert glance.is_ephemeral(text) in (True, False)

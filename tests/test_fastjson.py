"""fastjson gives what json gives, with the C scanner and without it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from cchooks_suite.hooks import fastjson
from hypothesis import given
from hypothesis import strategies as st

from .conftest import Suite

VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(st.characters(codec=None), max_size=20),  # lone surrogates included
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=5), inner, max_size=4)),
    max_leaves=20,
)


@given(VALUES)
def test_dumps_is_jsons(value: Any) -> None:
    assert fastjson.dumps(value) == json.dumps(value, separators=(",", ":"))


@given(VALUES, st.booleans(), st.sampled_from([None, 0, 2]), st.sampled_from(["", " ", "\n\t\r "]))
def test_loads_is_jsons(value: Any, ascii_only: bool, indent: int | None, blanks: str) -> None:
    text = blanks + json.dumps(value, ensure_ascii=ascii_only, indent=indent) + blanks
    assert fastjson.loads(text.encode("utf-8", "surrogatepass")) == json.loads(text)
    assert fastjson.loads(text) == json.loads(text)


BROKEN = [
    "",
    " ",
    "{",
    "}",
    "nul",
    '"a',
    "[1,]",
    '{"a":}',
    "1 2",
    "{}x",
    "'a'",
    '{"a" 1}',
    "\ufeff{}",
    '"\n"',
    "\x0b1",
    "\xa01",
]


def refuses(loads: Callable[[Any], Any], text: str | bytes) -> bool:
    try:
        loads(text)
    except ValueError:
        return True
    return False


@pytest.mark.parametrize("text", BROKEN, ids=ascii)
def test_what_json_refuses_is_refused(text: str) -> None:
    assert refuses(json.loads, text)
    assert refuses(fastjson.loads, text)
    assert refuses(fastjson.loads, text.encode())


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a":-Infinity}'])
def test_what_only_python_calls_json_is_refused(text: str) -> None:
    assert refuses(fastjson.loads, text)


def test_a_number_beyond_the_floats_survives() -> None:
    assert fastjson.dumps(fastjson.loads("[1e999,-1E400]")) == "[1e999,-1e999]"


def test_bytes_that_are_not_utf8_are_refused() -> None:
    with pytest.raises(ValueError, match="utf-8"):
        fastjson.loads(b'"\xe9"')


@pytest.mark.parametrize("value", [{1: 2}, {None: 1}, (1,), {1}, b"x", float("nan"), [object]], ids=repr)
def test_what_is_not_json_is_not_written(value: Any) -> None:
    with pytest.raises(TypeError):
        fastjson.dumps(value)


def test_nesting_without_end_is_an_error_of_its_own() -> None:
    with pytest.raises(RecursionError):
        fastjson.loads("[" * 100_000)


def test_without_the_c_scanner_json_does_it(suite: Suite) -> None:
    program = (
        "import sys; sys.modules['_json'] = None\n"
        "from cchooks_suite.hooks import fastjson\n"
        "value = {'a': [1, 2.5, None, True, '\\ud800\\u00e9\\n']}\n"
        "assert fastjson.loads(fastjson.dumps(value)) == value\n"
        "print(fastjson.dumps(value), 'json' in sys.modules)\n"
    )
    done = subprocess.run([str(suite.bin("python")), "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == '{"a":[1,2.5,null,true,"\\ud800\\u00e9\\n"]} True\n'

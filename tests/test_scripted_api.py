"""The scripted Messages API: what it answers, streamed and whole, and what it keeps."""

from __future__ import annotations

import json
import threading
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from cchooks_suite.scripted_api import ScriptedAPI, agent, answer, bash, call, prompt, text_of, tool_results

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, Any]
TOOLS = [{"name": "Bash"}]


@pytest.fixture
def api(tmp_path: Path) -> Iterator[ScriptedAPI]:
    with ScriptedAPI(log=tmp_path / "api.jsonl") as running:
        yield running


def user(content: Any) -> Json:
    return {"role": "user", "content": content}


def said(*blocks: Json) -> Json:
    return {"role": "assistant", "content": list(blocks)}


def result(name: str, content: Any) -> Json:
    return user([{"type": "tool_result", "tool_use_id": name, "content": content}])


def conversation(steps: list[Any], *later: Json) -> Json:
    return {"model": "m", "tools": TOOLS, "messages": [user(prompt(steps)), *later]}


def post(api: ScriptedAPI, path: str, body: Any) -> tuple[str, bytes]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(api.url + path, data=data)) as reply:  # noqa: S310
        return reply.headers["content-type"], reply.read()


def texts(body: Json) -> list[str]:
    return [block.get("text", block.get("name")) for block in answer(body)[0]]


def test_each_step_answers_the_request_with_as_many_answers_before_it() -> None:
    steps = [bash("toolu_a", "ls"), "end"]

    blocks, stop, usage = answer(conversation(steps))
    assert blocks == [{"type": "tool_use", "id": "toolu_a", "name": "Bash", "input": steps[0]["input"]}]
    assert (stop, usage) == ("tool_use", None)
    later = (said(*blocks), result("toolu_a", "files"))
    assert answer(conversation(steps, *later)) == ([{"type": "text", "text": "end"}], "end_turn", None)
    assert texts(conversation(steps, *later, said())) == ["done"]


def test_calls_and_texts_in_parallel_and_ids_made_up() -> None:
    blocks, stop, _ = answer(conversation([["first", bash("toolu_a", "ls"), {"tool": "Read", "input": {}}]]))

    assert [block["type"] for block in blocks] == ["text", "tool_use", "tool_use"]
    assert blocks[2]["id"].startswith("toolu_")
    assert stop == "tool_use"


def test_a_step_may_give_the_usage() -> None:
    usage = {"input_tokens": 200_000, "output_tokens": 1}

    assert answer(conversation([{"usage": usage, "step": "much"}]))[2] == usage


def test_without_tools_or_a_script_the_answer_is_a_text() -> None:
    assert texts({**conversation([bash("toolu_a", "ls")]), "tools": []}) == ["done"]
    assert texts({"tools": TOOLS, "messages": [user("hello")]}) == ["done"]
    assert texts({}) == ["done"]


def test_a_script_that_is_not_json_says_so() -> None:
    [text] = texts({"tools": TOOLS, "messages": [user("SCRIPT: [what")]})

    assert "not JSON" in text


def test_the_newest_script_counts() -> None:
    body = conversation(["old", "older"], said(), user([{"type": "text", "text": prompt(["new", "newer"])}]))

    assert texts(body) == ["new"]
    body["messages"].append(said())
    assert texts(body) == ["newer"]


PATHS = {
    "a saved result before any other path": (
        "ls /bin/sh\n[cchooks] were spilled to /h/.claude/projects/p/s/tool-results/Bash-1.txt\nmore",
        "/h/.claude/projects/p/s/tool-results/Bash-1.txt",
    ),
    "a full stop after it": ("saved to /h/tool-results/a.txt.", "/h/tool-results/a.txt"),
    "the first path of another kind": ("see /var/log/a.log and /b/c", "/var/log/a.log"),
    "a list of blocks": ([{"type": "text", "text": "at /h/tool-results/b.txt"}], "/h/tool-results/b.txt"),
    "no path": ("1/2 of https://x.y/z", "/no/path/in/the/results"),
}


@pytest.mark.parametrize(("content", "path"), PATHS.values(), ids=PATHS)
def test_the_last_path_stands_where_a_step_asks_for_it(content: Any, path: str) -> None:
    steps = ["one", call("Read", "toolu_r", file_path="{LAST_PATH}")]
    older = (result("toolu_0", "/old/path"), said(), result("toolu_1", content))
    if path.startswith("/no"):
        older = older[1:]

    [block] = answer(conversation(steps, *older))[0]

    assert block["input"] == {"file_path": path}


def test_a_subagents_script_keeps_its_placeholder() -> None:
    steps = ["one", agent("toolu_a", [call("Read", "toolu_r", file_path="{LAST_PATH}")])]

    [block] = answer(conversation(steps, said(), result("toolu_1", "/a/b")))[0]

    assert "{LAST_PATH}" in block["input"]["prompt"]


def test_the_stream_holds_the_whole_answer(api: ScriptedAPI) -> None:
    steps = [["look", bash("toolu_a", "ls")]]

    kind, raw = post(api, "/v1/messages?beta=true", {**conversation(steps), "stream": True})

    assert kind == "text/event-stream"
    events = [json.loads(line[6:]) for line in raw.decode().splitlines() if line.startswith("data: ")]
    names = [line[7:] for line in raw.decode().splitlines() if line.startswith("event: ")]
    assert names == [event["type"] for event in events]
    assert (names[0], names[-1]) == ("message_start", "message_stop")
    deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
    assert deltas[0]["text"] == "look"
    assert json.loads(deltas[1]["partial_json"])["command"] == "ls"
    assert events[-2]["delta"]["stop_reason"] == "tool_use"


def test_a_whole_answer_and_a_count_of_tokens(api: ScriptedAPI) -> None:
    message = json.loads(post(api, "/v1/messages", conversation(["end"]))[1])
    assert (message["content"], message["stop_reason"]) == ([{"type": "text", "text": "end"}], "end_turn")

    assert json.loads(post(api, "/v1/messages/count_tokens", conversation(["end"]))[1])["input_tokens"] > 0
    assert post(api, "/v1/anything", b"\xff not JSON")[1] == b"{}"


def test_requests_are_kept_in_memory_and_in_the_file(api: ScriptedAPI, tmp_path: Path) -> None:
    body = conversation(["end"], said(), result("toolu_a", [{"type": "text", "text": "seen"}]))
    threads = [threading.Thread(target=post, args=(api, "/v1/messages", body)) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [request.body for request in api.requests] == [body] * 20
    assert text_of(tool_results(api.requests)["toolu_a"]["content"]) == "seen"
    logged = [json.loads(line) for line in (tmp_path / "api.jsonl").read_text().splitlines()]
    assert logged == [{"path": "/v1/messages", "body": body}] * 20
    api.clear()
    assert api.requests == []

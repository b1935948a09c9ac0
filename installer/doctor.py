"""`cchooks doctor`: whether the hooks will run, and what keeps them from it. It writes nothing.

The settings files are read as a session started here would read them; then each registered command is run as the client
would run it, in a throw-away folder. `--live` starts the client itself once, shut off from everything.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from . import catalogue, client_version, doctor_entries, obstacles, output, probe, registered, rewriters
from .finding import BROKEN, NOTICE, OK, UNKNOWN, Finding, status

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace, _SubParsersAction

    from .registered import Registered, Session

SLOW = 1.0  # seconds that every tool call would wait


def add_parser(subparsers: _SubParsersAction[ArgumentParser]) -> None:
    """Register the sub-command."""
    from .options import add_json

    parser = subparsers.add_parser(
        "doctor",
        help="run the registered hooks as the client would, and check what can keep them from running",
        description=(__doc__ or "").partition("\n\n")[2],
        epilog="Exit status: 0 healthy, 1 something is broken, 3 it works and there is something to know.",
    )
    parser.add_argument("--live", action="store_true", help="start the client once and see what reaches the model")
    parser.add_argument("--client", metavar="PATH", help="the client to start, instead of `claude` on PATH")
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Carry out `cchooks doctor`."""
    session = registered.here()
    findings = [*doctor_entries.findings(session), *obstacles.findings(session), *rewriters.findings(session)]
    findings += [*_client_age(session, args.client), *_config(), *_runs(session)]
    if args.live or args.client:
        from . import live

        findings += live.findings(session, args.client)
    findings += _beyond()
    if args.json:
        output.as_json({"command": "doctor", "state": _verdict(findings), "checks": [f.as_json() for f in findings]})
    else:
        _show(findings)
    return status(findings)


def _runs(session: Session) -> list[Finding]:
    """Run each registered command on the payloads for its hook and event; one finding a command and event.

    Under an event that the hook does not serve there is nothing to decide: that is told of as an entry.
    """
    served = [item for item in session.registered if session.serves(item.hook, item.handler.event)]
    different = {(item.identity, item.handler.event): item for item in reversed(served)}
    return [_run(item) for item in reversed(list(different.values()))]


def _run(item: Registered) -> Finding:
    file, slowest = item.layer.path, 0.0
    project = item.layer.scope.root or os.getcwd()
    command = item.handler.value.get("command")
    for trial in probe.trials(item.hook, item.handler.event):
        with tempfile.TemporaryDirectory(prefix="cchooks-doctor-", ignore_cleanup_errors=True) as folder:
            room = probe.Room(Path(folder))
            answer = probe.start(item.handler.value, room.payload(trial.event, trial.fields), room, project)
            wrong = probe.judge(answer, trial, room)
        if wrong:
            reason = f"`{item.handler.where}`: {command}, tried on {trial.about}: {wrong}"
            return Finding(f"run.{item.hook}", BROKEN, reason, file, _repair(item))
        slowest = max(slowest, answer.seconds)
    time = f"{slowest * 1000:.0f} ms"
    if slowest > SLOW:
        reason = f"`{item.handler.where}`: {command} takes {time}, which every such tool call waits"
        return Finding(f"run.{item.hook}", NOTICE, reason, file, f"time {command} </dev/null")
    return Finding(f"run.{item.hook}", OK, f"{command} decides as it should on {item.handler.event}, in {time}", file)


def _repair(item: Registered) -> str:
    """What most likely helps: a new entry where this installation has the executable, else a new installation."""
    from . import executables, shebang
    from .errors import RefusalError

    name = catalogue.PREFIX + item.hook
    try:
        own = executables.command(name)
    except RefusalError:
        own = ""
    value = item.handler.value.get("command")
    if own and own == value and shebang.broken(own):
        return doctor_entries.install_command(item.layer.scope.name)
    if item.layer.scope.name == "project" and value == name:
        return f"export PATH={os.path.dirname(own)}:$PATH" if own else "install the package again"
    if own and own != value:
        return doctor_entries.install_command(item.layer.scope.name)
    return "install the package again with the command it was installed with, then `cchooks install`"


def _client_age(session: Session, given: str | None) -> list[Finding]:
    """Whether the client, the one given or the one on PATH, knows the form of our entries."""
    program = given or client_version.find()
    version = client_version.ask(program) if program else None
    if version is None:
        return [Finding("client.version", UNKNOWN, f"no client {given or 'on PATH'} that says its version")]
    shown, floor = client_version.shown(version), client_version.shown(catalogue.EXEC_FORM)
    exec_form = [item for item in session.registered if "args" in item.handler.value]
    if version < catalogue.EXEC_FORM and exec_form:
        reason = f"the client is {shown}, and our entries are in a form that {floor} was the first to know"
        return [Finding("client.version", BROKEN, reason, program or "", "claude update")]
    return [Finding("client.version", OK, f"the client is {shown}", program or "")]


def _config() -> list[Finding]:
    """What the hooks ignore in the config files."""
    from cchooks_suite.hooks import config

    from . import config_commands

    found = []
    for path in config.files(os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd()):
        try:
            problems = config_commands.problems(config.read(path))
        except ImportError as error:
            return [Finding("config.fits", UNKNOWN, f"a hook of this installation cannot be loaded: {error}", path)]
        except (OSError, ValueError) as error:
            problems = [("", str(error), "a TOML file in UTF-8")]
        for key, was, expected in problems:
            reason = f"{f'`{key}`: ' if key else ''}found {was}, expected {expected}; the hooks ignore it"
            found.append(Finding("config.fits", NOTICE, reason, path, "cchooks config check"))
    return found


def _beyond() -> list[Finding]:
    """What no file on this machine can prove."""
    texts = {
        "policy.elsewhere": "policy of a device manager, the registry or a server: /status in the client shows it",
        "session.trust": "whether the client trusts this folder: /hooks in a session lists what it runs",
        "session.running": "sessions that run already: those with -p keep the hooks they started with",
    }
    return [Finding(check, UNKNOWN, text) for check, text in texts.items()]


def _verdict(findings: list[Finding]) -> str:
    return {0: "healthy", 1: "broken", 3: "notices"}[status(findings)]


def _show(findings: list[Finding]) -> None:
    """The report: what is broken first, then the notices, what is right, and what could not be checked."""
    words = {BROKEN: "broken", NOTICE: "notice", OK: "ok", UNKNOWN: "not checked"}
    for state in (BROKEN, NOTICE, OK, UNKNOWN):
        for finding in (item for item in findings if item.state == state):
            place = f"{finding.file}: " if finding.file else ""
            output.say(f"{words[state]}: {place}{finding.reason}")
            if finding.fix:
                output.say(f"  hint: {finding.fix}")
    counts = {state: sum(finding.state == state for finding in findings) for state in (BROKEN, NOTICE)}
    output.say(_summary(counts[BROKEN], counts[NOTICE]))


def _summary(broken: int, notices: int) -> str:
    if broken:
        return f"Broken: {broken} to repair" + (f", {_counted(notices)}." if notices else ".")
    if notices:
        return f"It works, with {_counted(notices)}."
    return "Healthy: the hooks are registered, start, and decide as they should."


def _counted(notices: int) -> str:
    return f"{notices} notice{'s' if notices > 1 else ''}"

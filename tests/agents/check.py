"""Drives real agents through the tap and through the server, and says what was seen.

One line a check. Exits with 1 when one failed. Started by `run`, in namespaces of its own.
"""

import argparse
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import acp
import agents
import scenario
from acp import allow, reject
from lsp import Editor
from model import Model

HERE = Path(__file__).resolve().parent
#: How long the service of an agent may take to start, in seconds.
SERVICE_DEADLINE = 240
#: How long processes may take to be gone, in seconds.
END_DEADLINE = 15
#: How long the check in Neovim may take, in seconds.
NVIM_DEADLINE = 240
#: In the environment of the service, which outlives the sessions.
SERVICE_MARK = "ACP_LENS_CHECK_SERVICE"


class Report:
    def __init__(self):
        self.passed = 0
        self.failed = 0
        self.agent = ""

    def check(self, what, holds, detail=""):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
        word = "pass" if holds else "FAIL"
        shown = f": {detail}" if detail and not holds else ""
        print(f"{word}  {self.agent}  {what}{shown}", flush=True)

    def equal(self, what, found, expected):
        self.check(what, found == expected, f"{found!r} instead of {expected!r}")

    def tell(self, what):
        """Something worth knowing that is neither right nor wrong."""
        print(f"note  {self.agent}  {what}", flush=True)

    @contextlib.contextmanager
    def part(self, name):
        """What goes wrong in a part is a failed check, and the other parts go on."""
        try:
            yield
        except Exception as error:
            self.check(f"{name} goes through", False, f"{type(error).__name__}: {error}")


class Checks:
    """All checks of one agent."""

    def __init__(self, agent, binary, nvim, packages, scratch, report):
        self.agent = agent
        self.binary = binary
        self.nvim = nvim
        self.report = report
        self.logs = packages / "logs" / agent.name
        shutil.rmtree(self.logs, ignore_errors=True)
        self.logs.mkdir(parents=True)
        home, workspace = scratch / "home", scratch / "work"
        for folder in (home / "tmp", home / "sockets", workspace):
            folder.mkdir(parents=True)
        (home / "sockets").chmod(0o700)
        script = {
            name: [agent.reply(step, workspace) for step in steps]
            for name, steps in scenario.SCRIPT.items()
        }
        self.model = Model(script)
        self.stage = agents.Stage(packages, home, workspace, self.model.url)
        self.env = self.stage.env | agent.env(self.stage)
        self.editors = []
        self.refusal = "refuse" if agent.asks_for_edits else "refuse-shell"

    def all(self):
        self.agent.configure(self.stage)
        with self.service():
            for part in (self.plain, self.tap, self.host, self.host_again, self.in_nvim):
                with self.report.part(part.__name__):
                    part()
                # Whatever a part that broke off has left is in no other part's way.
                for editor in self.editors:
                    editor.kill()
                self.editors.clear()
        self.model.close()
        for path in self.model.unknown:
            self.report.tell(f"the agent asked the model for {path}, which is not spoken here")

    @contextlib.contextmanager
    def service(self):
        if self.agent.service is None:
            yield
            return
        command, port = self.agent.service(self.stage)
        env = self.env | {SERVICE_MARK: "1"}
        with self.log("service") as log:
            process = subprocess.Popen(command, env=env, stdout=log, stderr=log)
        try:
            begin = time.monotonic()
            until(SERVICE_DEADLINE, lambda: process.poll() is not None or answers(port))
            if process.poll() is not None:
                raise RuntimeError("the agent's service ended; see its log")
            self.report.tell(f"its service answers after {time.monotonic() - begin:.0f} s")
            yield
        finally:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()

    def log(self, name):
        return open(self.logs / f"{name}.log", "wb")

    def reset(self):
        """The workspace as it was, in the same place."""
        for entry in self.stage.workspace.iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        for path, text in scenario.SEED.items():
            path = self.stage.workspace / path
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def files(self):
        """What is in the workspace, of the files that the script names."""
        texts = {}
        for name in [*scenario.CHANGED, "refused.txt", "shell.txt"]:
            path = self.stage.workspace / name
            if path.exists():
                texts[name] = path.read_text(encoding="utf-8")
        return texts

    def editor(self, name, **options):
        with self.log(name) as log:
            editor = Editor(self.binary, self.stage.workspace, self.stage.env, log, **options)
        self.editors.append(editor)
        return editor

    # The same session without and with the tap.

    def session(self, name, command, after_first_prompt=lambda: None):
        """A client's session with three prompts; gives the client, which has hung up."""
        self.reset()
        with self.log(name) as log:
            client = acp.Client(
                command,
                self.env,
                self.stage.workspace,
                log,
                allow,
                missing_is_empty=self.agent.missing_is_empty,
            )
        try:
            capabilities = {"fs": {"readTextFile": True, "writeTextFile": True}}
            client.initialized = client.ask(
                "initialize", {"protocolVersion": 1, "clientCapabilities": capabilities}
            )
            place = {"cwd": str(self.stage.workspace), "mcpServers": []}
            session = client.ask("session/new", place)["sessionId"]
            if self.agent.mode:
                mode = {"sessionId": session, "modeId": self.agent.mode}
                client.ask("session/set_mode", mode)

            def prompt(part):
                content = [{"type": "text", "text": scenario.prompt(part)}]
                return client.ask("session/prompt", {"sessionId": session, "prompt": content})

            client.reasons = [prompt("create")["stopReason"]]
            after_first_prompt()
            client.reasons.append(prompt("change")["stopReason"])
            client.answer_permission = reject
            client.reasons.append(prompt(self.refusal)["stopReason"])
            client.status = client.hang_up()
        finally:
            client.kill()
        return client

    def plain(self):
        self.without = self.session("plain", self.agent.command(self.stage))
        info = self.without.initialized.get("agentInfo") or {}
        self.report.tell(f"{info.get('name')} {info.get('version')}")
        self.report.equal("without a tap: the files are changed", self.files(), scenario.CHANGED)

    def tap(self):
        recording = self.logs / "recording.ndjson"
        tee = [sys.executable, HERE / "tee.py", self.logs / "agent"]
        command = [self.binary, "tap", "--record", recording, "--", *tee]
        early = self.editor("editor-before")
        late = []
        client = self.session(
            "tap",
            [*command, *self.agent.command(self.stage)],
            lambda: late.append(self.editor("editor-during")),
        )
        check, equal = self.report.check, self.report.equal
        equal("tap: the files are changed", self.files(), scenario.CHANGED)
        for direction, seen in (("in", client.sent), ("out", client.received)):
            passed = (self.logs / f"agent.{direction}").read_bytes()
            check(f"tap: the agent's {direction}put is the client's, byte for byte", passed == seen)
        equal(
            "tap: the session runs as without it",
            (course(client), client.reasons),
            (course(self.without), self.without.reasons),
        )
        equal("tap: it ends as the agent ends", client.status, self.without.status)
        early.wait_notice("acpLens/didChangeSession", lambda it: it["state"] == "disconnected")
        for editor, when in ((early, "before"), (*late, "during")):
            with contextlib.suppress(TimeoutError):
                until(END_DEADLINE, lambda: editor.files() == scenario.LISTED)
            equal(f"tap: the editor that came {when} lists the files", editor.files(), scenario.LISTED)
        self.check_hunks("tap", early)
        shown, hunks = early.turns(), self.hunks(early)
        self.tell_notices(early)
        equal("tap: the editors end", [early.finish(), late[0].finish()], [0, 0])
        equal("replay: the turns are those that the editor showed", self.replayed(recording), shown)
        reader = self.editor("editor-replay", settings={"trace": str(recording)})
        until(END_DEADLINE, reader.files)
        equal("replay: the hunks stand where the editor showed them", self.hunks(reader), hunks)
        reader.finish()
        self.check_left("tap")

    def replayed(self, recording):
        """The rows of each turn, as `acp-lens replay` tells them."""
        command = [self.binary, "replay", "--format", "json", recording]
        run = subprocess.run(command, env=self.stage.env, stdout=subprocess.PIPE, check=True)
        turns = {}
        for session in json.loads(run.stdout)["sessions"]:
            for turn, rows in session["turnSummaries"].items():
                for row in rows:
                    counts = (row.get("added"), row.get("removed"))
                    turns.setdefault(turn, set()).add((row["relativePath"], row["action"], *counts))
        return turns

    # The agent run by the server.

    def settings(self):
        program, *arguments = self.agent.command(self.stage)
        entry = {"command": program, "args": arguments, "env": self.agent.env(self.stage)}
        return {"agents": {self.agent.name: entry}}

    def host(self):
        self.reset()
        check, equal = self.report.check, self.report.equal
        editor = self.editor("host", settings=self.settings(), answer_permission=allow)
        begin = time.monotonic()
        started = editor.ask("acpLens/session/new", {"agent": self.agent.name})["session"]
        self.session_id, session = started["sessionId"], started["session"]
        self.report.tell(f"host: a session starts after {time.monotonic() - begin:.1f} s")
        self.tell_choices(started)
        if self.agent.mode:
            mode = {"session": session, "modeId": self.agent.mode}
            editor.ask("acpLens/session/setMode", mode)

        def prompt(part):
            before = len(editor.notices)
            params = {"session": session, "text": scenario.prompt(part)}
            editor.ask("acpLens/session/prompt", params)
            return before

        def ended(before):
            def is_over(it):
                over = it["state"] == "idle" and (it["stopReason"] or it["error"])
                return it["session"] == session and (over or it["state"] == "disconnected")

            it = editor.wait_notice("acpLens/didChangeSession", is_over, before)
            return it["stopReason"] or it["error"]

        for part in ("create", "change"):
            equal(f"host: the prompt {part!r} ends", ended(prompt(part)), "end_turn")
        equal("host: the files are changed", self.files(), scenario.CHANGED)
        equal("host: the editor lists them", editor.files(session), scenario.LISTED)
        self.check_hunks("host", editor)
        asked = len(editor.permissions)
        if self.agent.asks_for_edits:
            check("host: the person was asked", asked == 4, f"{asked} questions")
        equal("host: the prompt 'shell' ends", ended(prompt("shell")), "end_turn")
        check("host: the person was asked about a command", len(editor.permissions) > asked)
        check("host: the command ran", (self.stage.workspace / "shell.txt").exists())
        editor.answer_permission = reject
        ended(prompt(self.refusal))
        check("host: what was refused is not done", "refused.txt" not in self.files())
        equal("host: nor listed", editor.files(session), scenario.LISTED)
        editor.answer_permission = allow
        begun = prompt("slow")
        until(acp.DEADLINE, lambda: running(scenario.SLOW))
        editor.ask("acpLens/session/cancel", {"session": session})
        equal("host: a cancelled prompt says so", ended(begun), "cancelled")
        equal("host: the next prompt works", ended(prompt("hello")), "end_turn")
        place = {"agent": self.agent.name, "executionCwd": str(self.stage.workspace)}
        listed = editor.ask("acpLens/session/list", place)
        self.listed = [it["sessionId"] for it in listed["sessions"]] if listed["supported"] else None
        editor.ask("acpLens/session/close", {"session": session})
        equal("host: the editor ends", editor.finish(), 0)
        self.check_left("host")

    def host_again(self):
        """Another server, and with it another process of the agent, loads the session."""
        equal = self.report.equal
        session_id = self.session_id
        if self.listed is None:
            self.report.tell("host: the agent lists no sessions")
        else:
            # Under a longer name in OpenClaw's list.
            found = [it for it in self.listed if it.endswith(session_id)]
            self.report.check("host: the session is listed", found, f"{self.listed}")
            session_id = (found or [session_id])[0]
        time.sleep(self.agent.pause_before_load)
        editor = self.editor("host-again", settings=self.settings(), answer_permission=allow)
        params = {"agent": self.agent.name, "sessionId": session_id}
        loaded = editor.ask("acpLens/session/load", params)["session"]
        session = loaded["session"]
        expected = scenario.LISTED
        if not self.agent.replays_folders:
            expected = [(path.rpartition("/")[2], *rest) for path, *rest in expected]
        with contextlib.suppress(TimeoutError):
            until(END_DEADLINE, lambda: editor.files(session) == expected)
        equal("host: a loaded session lists the files", editor.files(session), expected)
        if self.agent.replays_folders:
            hunks = scenario.HUNKS
            if not self.agent.replays_context:
                # Without lines around it a deletion has no place in the text.
                hunks = hunks | {"notes.txt": []}
            self.check_hunks("host: loaded", editor, hunks)
        before = len(editor.notices)
        editor.ask(
            "acpLens/session/prompt", {"session": session, "text": scenario.prompt("hello")}
        )
        it = editor.wait_notice(
            "acpLens/didChangeSession",
            lambda it: it["session"] == session and it["stopReason"],
            before,
        )
        equal("host: a prompt after loading ends", it["stopReason"], "end_turn")
        self.tell_notices(editor)
        # Nothing is closed: the end of the server is the end of its agents.
        equal("host: the editor ends", editor.finish(), 0)
        self.check_left("host: loaded")

    def in_nvim(self):
        """The extension, in a Neovim without a screen."""
        self.reset()
        told = {
            "agents": self.settings()["agents"],
            "agent": self.agent.name,
            "workspace": str(self.stage.workspace),
            "prompts": [scenario.prompt("create"), scenario.prompt("change")],
            "file": "src/calc.py",
            "lenses": [first for first, _ in scenario.HUNKS["src/calc.py"]],
        }
        env = {"ACP_LENS_BIN": str(self.binary), "ACP_LENS_CHECK": json.dumps(told)}
        for kind in ("CONFIG", "DATA", "STATE", "CACHE"):
            env[f"XDG_{kind}_HOME"] = str(self.stage.home / "nvim" / kind.lower())
        init = HERE.parent / "nvim/init.lua"
        command = [self.nvim, "--headless", "-u", init, "-c", f"luafile {HERE / 'nvim.lua'}"]
        with self.log("nvim") as log:
            run = subprocess.run(
                command, env=self.stage.env | env, stdout=log, stderr=log, timeout=NVIM_DEADLINE
            )
        for line in (self.logs / "nvim.log").read_text(errors="replace").splitlines():
            if line.startswith(("ok - ", "not ok - ")):
                self.report.check("nvim: " + line.partition(" - ")[2], line.startswith("ok"))
        self.report.equal("nvim: it ends well", run.returncode, 0)
        self.report.equal("nvim: the files are changed", self.files(), scenario.CHANGED)
        self.check_left("nvim")

    # What several parts check.

    def check_hunks(self, name, editor, expected=scenario.HUNKS):
        for path, hunks in self.hunks(editor).items():
            found = [lines for lines, _ in hunks if lines]
            what = f"{name}: the hunks of {path} stand at their lines"
            self.report.equal(what, found, expected[path])

    def hunks(self, editor):
        """The hunks of each changed file: first line, line after the last, and how it stands."""
        seen = {}
        for path in scenario.HUNKS:
            hunks = editor.hunks(self.stage.workspace / path)
            ranges = [hunk["range"] for hunk in hunks]
            lines = [it and (it["start"]["line"], it["end"]["line"]) for it in ranges]
            states = [hunk["state"] for hunk in hunks]
            seen[path] = sorted(zip(lines, states), key=str)
        return seen

    def check_left(self, name):
        with contextlib.suppress(TimeoutError):
            until(END_DEADLINE, lambda: not others())
        self.report.check(f"{name}: no process is left", not others(), "; ".join(others()))
        sockets = list((self.stage.home / "sockets").iterdir())
        self.report.check(f"{name}: no socket is left", not sockets, f"{sockets}")

    def tell_choices(self, session):
        modes = [mode["id"] for mode in (session["modes"] or {}).get("availableModes", [])]
        options = [option["id"] for option in session["configOptions"] or []]
        self.report.tell(f"host: modes {modes}, options {options}")

    def tell_notices(self, editor):
        for session in editor.ask("acpLens/sessions", {})["sessions"]:
            for notice in session["notices"]:
                self.report.tell(f"notice: {notice['message']}")


def course(client):
    """What happened in a session, without what differs from run to run.

    The order of tool calls, questions and words, and how each call ended; not how a text was cut
    into pieces, nor when the agent told of its usage.
    """
    order = []
    status = {}
    for message in client.messages:
        if isinstance(message, bytes):
            order.append("no JSON")
            continue
        update = (message.get("params") or {}).get("update") or {}
        kind = update.get("sessionUpdate") or message.get("method")
        if kind in ("tool_call", "tool_call_update"):
            status[update["toolCallId"]] = update.get("status") or status.get(update["toolCallId"])
        if kind in ("tool_call", "session/request_permission", "agent_message_chunk"):
            if order[-1:] != [kind]:
                order.append(kind)
    return order, list(status.values())


def until(seconds, holds):
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError("it did not happen in time")
        time.sleep(0.1)


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def processes():
    """The other processes here, as id and command line; not those that have ended."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if command:
                yield entry, command.strip()


def running(command):
    """Whether a command runs, in a shell or by the full path of its program."""
    return any(command in line for _, line in processes())


def others():
    """The processes that are left, but for the agent's service and what that started."""
    left = []
    for entry, command in processes():
        with contextlib.suppress(OSError):
            if f"{SERVICE_MARK}=".encode() not in (entry / "environ").read_bytes():
                left.append(command[:100])
    return left


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--nvim", type=Path, required=True)
    parser.add_argument("agents", nargs="+")
    options = parser.parse_args()
    packages = HERE.parent / ".cache/agents"
    report = Report()
    for name in options.agents:
        report.agent = name
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
            scratch = Path(scratch).resolve()
            arguments = (options.binary.resolve(), options.nvim, packages.resolve(), scratch, report)
            with report.part("the check"):
                Checks(agents.AGENTS[name], *arguments).all()

    print(f"{report.passed} passed, {report.failed} failed")
    sys.exit(1 if report.failed else 0)


if __name__ == "__main__":
    main()

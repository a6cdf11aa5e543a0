"""A small language client for `acp-lens lsp`."""

import json
import queue
import subprocess
import threading
import time

#: How long the server may take for anything, in seconds: an agent may be behind it.
DEADLINE = 60


class Editor:
    """An editor on a folder, with the extension's abilities.

    `answer_permission(params)` gives an option's id, or `None` to cancel.
    """

    def __init__(self, binary, root, env, log, settings=None, answer_permission=None):
        self.answer_permission = answer_permission
        self.permissions = []
        self.notices = []
        self.news = threading.Condition()
        self.last_id = 0
        self.waiting = {}
        self.writing = threading.Lock()
        self.process = subprocess.Popen(
            [binary, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=env
        )
        threading.Thread(target=self.read, daemon=True).start()
        extension = {
            "version": 1,
            "notifications": True,
            "requestPermission": True,
            "commands": True,
        }
        self.ask(
            "initialize",
            {
                "processId": None,
                "capabilities": {
                    "window": {"workDoneProgress": True},
                    "experimental": {"acpLens": extension},
                },
                "workspaceFolders": [{"uri": f"file://{root}", "name": "root"}],
                "initializationOptions": settings or {},
            },
        )
        self.notify("initialized", {})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        with self.writing:
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            self.process.stdin.flush()

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params):
        self.last_id += 1
        request = self.last_id
        self.waiting[request] = answers = queue.Queue()
        self.send({"id": request, "method": method, "params": params})
        try:
            answer = answers.get(timeout=DEADLINE)
        except queue.Empty:
            raise TimeoutError(f"{method} was not answered") from None
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def read(self):
        stream = self.process.stdout
        while head := stream.readline():
            length = None
            while head.strip():
                name, _, value = head.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
                head = stream.readline()
            message = json.loads(stream.read(length))
            if "method" not in message:
                self.waiting.pop(message["id"]).put(message)
            elif "id" in message:
                threading.Thread(target=self.serve, args=(message,), daemon=True).start()
            else:
                with self.news:
                    self.notices.append(message)
                    self.news.notify_all()

    def serve(self, message):
        result = None
        if message["method"] == "acpLens/requestPermission":
            self.permissions.append(message["params"])
            option = self.answer_permission(message["params"])
            result = {"outcome": "cancelled"}
            if option is not None:
                result = {"outcome": "selected", "optionId": option}
        self.send({"id": message["id"], "result": result})

    def wait_notice(self, method, wanted, begin=0):
        """Waits for a notification from the one with the number `begin` on; gives its parameters."""
        until = time.monotonic() + DEADLINE
        at = begin
        with self.news:
            while True:
                for message in self.notices[at:]:
                    if message["method"] == method and wanted(message["params"]):
                        return message["params"]
                at = len(self.notices)
                left = until - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"{method} did not come")
                self.news.wait(left)

    def files(self, session=None):
        """The changed files of all sessions, or of one: path, action, lines added and removed."""
        changes = self.ask("acpLens/changes", {"session": session} if session else {})
        return [
            (file["file"]["relativePath"], file["action"], file["added"], file["removed"])
            for it in changes["sessions"]
            for file in it["files"]
        ]

    def turns(self):
        """The rows of each turn of all sessions: path, action, lines added and removed."""
        turns = {}
        for it in self.ask("acpLens/changes", {})["sessions"]:
            for file in it["files"]:
                for turn in file["turns"]:
                    counts = (turn["action"], turn["added"], turn["removed"])
                    row = (file["file"]["relativePath"], *counts)
                    turns.setdefault(turn["turn"], set()).add(row)
        return turns

    def hunks(self, path):
        return self.ask("acpLens/hunks", {"uri": f"file://{path}", "withText": False})["hunks"]

    def finish(self):
        """`shutdown` and `exit`; gives the exit status."""
        self.ask("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(DEADLINE)

    def kill(self):
        self.process.kill()
        self.process.wait()

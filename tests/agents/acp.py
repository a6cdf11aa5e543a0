"""A small ACP client: one agent on its standard streams, every byte of both directions kept."""

import json
import os
import queue
import subprocess
import threading

#: How long an agent may take for anything, in seconds: real agents on a busy machine are slow.
DEADLINE = 60


class AgentEnded(Exception):
    pass


class Client:
    """`answer_permission(params)` gives an option's id, or `None` to cancel.

    With `missing_is_empty` a file that is not there is read as an empty one.
    """

    def __init__(self, command, env, cwd, log, answer_permission, missing_is_empty=False):
        self.answer_permission = answer_permission
        self.missing_is_empty = missing_is_empty
        self.sent = b""
        self.received = b""
        #: The messages of the agent: requests, notifications and answers, and lines that are none.
        self.messages = []
        self.permissions = []
        self.last_id = 0
        self.waiting = {}
        self.writing = threading.Lock()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env=env,
            cwd=cwd,
        )
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def send(self, message):
        line = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        with self.writing:
            self.sent += line
            self.process.stdin.write(line)
            self.process.stdin.flush()

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def begin(self, method, params):
        self.last_id += 1
        self.waiting[self.last_id] = queue.Queue()
        self.send({"id": self.last_id, "method": method, "params": params})
        return self.last_id

    def finish(self, request):
        try:
            answer = self.waiting[request].get(timeout=DEADLINE)
        except queue.Empty:
            raise TimeoutError(f"request {request} was not answered") from None
        if answer is None:
            raise AgentEnded("the agent ended before it answered")
        if "error" in answer:
            raise RuntimeError(f"request {request} failed: {answer['error']}")
        return answer["result"]

    def ask(self, method, params):
        return self.finish(self.begin(method, params))

    def read(self):
        for line in self.process.stdout:
            self.received += line
            try:
                message = json.loads(line)
            except ValueError:
                message = line
            if not isinstance(message, dict):
                self.messages.append(line)
                continue
            self.messages.append(message)
            if "method" in message and "id" in message:
                # Not here: an answer may take long, and reading must go on.
                threading.Thread(target=self.serve, args=(message,), daemon=True).start()
            elif "method" not in message and message.get("id") in self.waiting:
                self.waiting[message["id"]].put(message)
        for answers in self.waiting.values():
            answers.put(None)

    def serve(self, message):
        method, params = message["method"], message.get("params") or {}
        try:
            answer = {"result": self.result_of(method, params)}
        except FileNotFoundError:
            answer = {"result": {"content": ""}}
            if not self.missing_is_empty:
                answer = {"error": {"code": -32002, "message": f"there is no {params['path']}"}}
        except NotImplementedError:
            answer = {"error": {"code": -32601, "message": f"{method} is not known"}}
        self.send({"id": message["id"], **answer})

    def result_of(self, method, params):
        if method == "session/request_permission":
            self.permissions.append(params)
            option = self.answer_permission(params)
            if option is None:
                return {"outcome": {"outcome": "cancelled"}}
            return {"outcome": {"outcome": "selected", "optionId": option}}
        if method == "fs/read_text_file":
            with open(params["path"], encoding="utf-8", newline="") as file:
                lines = file.read().splitlines(keepends=True)
            first = (params.get("line") or 1) - 1
            count = params.get("limit")
            return {"content": "".join(lines[first:] if count is None else lines[first : first + count])}
        if method == "fs/write_text_file":
            os.makedirs(os.path.dirname(params["path"]), exist_ok=True)
            with open(params["path"], "w", encoding="utf-8", newline="") as file:
                file.write(params["content"])
            return {}
        raise NotImplementedError

    def hang_up(self):
        """Closes the agent's standard input, and gives its exit status."""
        self.process.stdin.close()
        status = self.process.wait(DEADLINE)
        self.reader.join(DEADLINE)
        return status

    def kill(self):
        self.process.kill()
        self.process.wait()


def option_of_kind(params, *kinds):
    """The id of the first option that has the first of these kinds that there is."""
    for kind in kinds:
        for option in params.get("options", []):
            if option.get("kind") == kind:
                return option["optionId"]
    return None


def allow(params):
    return option_of_kind(params, "allow_once", "allow_always")


def reject(params):
    return option_of_kind(params, "reject_once", "reject_always")

"""A model that follows a script, on loopback: OpenAI chat completions, Anthropic Messages, Gemini.

Which part of the script runs is named by the last prompt with `SCRIPT:<name>` in the conversation;
which step of it is next, by how many turns with a tool call the model has had since then. So an
agent may ask again, or ask something else in between, and the answer stays the same. Requests
without tools (for a title, say) get a short text.
"""

import itertools
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MARK = re.compile(r"SCRIPT:([a-z-]+)")

#: The model's name, for configurations.
NAME = "scripted-model"


class Model:
    """Serves until `close`. `script` maps a name to replies; a reply is `{"text"}` or `{"call": (name, arguments)}`."""

    def __init__(self, script):
        self.script = script
        self.ids = itertools.count(1)
        #: What was asked for and is not spoken here, for the report.
        self.unknown = []
        model = self

        class Handler(_Handler):
            def reply(self, turns, has_tools):
                return model.reply(turns, has_tools)

            def unknown(self, what):
                model.unknown.append(what)

            def next_id(self):
                return next(model.ids)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def reply(self, turns, has_tools):
        """The next reply. `turns` are the texts of users, and `None` for a turn with tool calls."""
        name, step = None, 0
        for turn in turns:
            if turn is None:
                step += 1
            elif marks := MARK.findall(turn):
                name, step = marks[-1], 0
        steps = self.script.get(name, [])
        if not has_tools or step >= len(steps):
            return {"text": "OK."}
        return steps[step]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        if self.path.split("?")[0].endswith("/models"):
            return self.send({"object": "list", "data": [{"id": NAME, "object": "model"}]})
        self.not_found()

    def do_HEAD(self):
        self.send({})

    def do_POST(self):
        body = self.body()
        path = self.path.split("?")[0]
        try:
            if path.endswith("/chat/completions"):
                chat(self, body)
            elif path.endswith("/count_tokens"):
                self.send({"input_tokens": 100})
            elif path.endswith("/messages"):
                messages(self, body)
            elif path.endswith(":countTokens"):
                self.send({"totalTokens": 100})
            elif path.endswith((":generateContent", ":streamGenerateContent")):
                gemini(self, body, path.endswith(":streamGenerateContent"))
            else:
                self.not_found()
        except (BrokenPipeError, ConnectionResetError):
            # The agent was cancelled, and has hung up.
            self.close_connection = True

    def body(self):
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            data = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            data = self.rfile.read(int(self.headers.get("content-length") or 0))
        return json.loads(data or b"{}")

    def not_found(self):
        self.unknown(f"{self.command} {self.path}")
        self.send({"error": {"message": "not found"}}, 404)

    def send(self, value, status=200):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def begin_stream(self):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True

    def event(self, value, name=None):
        data = value if isinstance(value, str) else json.dumps(value)
        head = f"event: {name}\n" if name else ""
        self.wfile.write(f"{head}data: {data}\n\n".encode())
        self.wfile.flush()


def text_of(content):
    """The text of a message: a string, or a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part["text"] for part in parts if isinstance(part.get("text"), str))


def halves(text):
    """A text in two pieces, as a model streams it."""
    middle = len(text) // 2
    return [piece for piece in (text[:middle], text[middle:]) if piece]


def chat(to, body):
    """OpenAI chat completions."""
    turns = []
    for message in body.get("messages", []):
        if message.get("role") == "user":
            turns.append(text_of(message.get("content")))
        elif message.get("role") == "assistant" and message.get("tool_calls"):
            turns.append(None)
    reply = to.reply(turns, bool(body.get("tools")))
    number = to.next_id()
    head = {"id": f"chat-{number}", "created": 1, "model": body.get("model", NAME)}
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    call = None
    if "call" in reply:
        name, arguments = reply["call"]
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": f"call_{number}", "type": "function", "function": function}
    reason = "tool_calls" if call else "stop"
    if not body.get("stream"):
        message = {"role": "assistant", "content": reply.get("text")}
        if call:
            message["tool_calls"] = [call]
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return to.send({**head, "object": "chat.completion", "choices": [choice], "usage": usage})

    def delta(value, reason=None):
        choice = {"index": 0, "delta": value, "finish_reason": reason}
        to.event({**head, "object": "chat.completion.chunk", "choices": [choice], "usage": None})

    to.begin_stream()
    delta({"role": "assistant", "content": ""})
    for piece in halves(reply.get("text", "")):
        delta({"content": piece})
    if call:
        begun = {**call, "index": 0, "function": {"name": name, "arguments": ""}}
        delta({"tool_calls": [begun]})
        for piece in halves(function["arguments"]):
            delta({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
    delta({}, reason)
    to.event({**head, "object": "chat.completion.chunk", "choices": [], "usage": usage})
    to.event("[DONE]")


def messages(to, body):
    """Anthropic Messages."""
    turns = []
    for message in body.get("messages", []):
        content = message.get("content")
        kinds = [part.get("type") for part in content] if isinstance(content, list) else []
        if message.get("role") == "user" and "tool_result" not in kinds:
            turns.append(text_of(content))
        elif "tool_use" in kinds:
            turns.append(None)
    reply = to.reply(turns, bool(body.get("tools")))
    number = to.next_id()
    if "call" in reply:
        name, arguments = reply["call"]
        block = {"type": "tool_use", "id": f"toolu_{number:04}", "name": name, "input": arguments}
        reason = "tool_use"
    else:
        block = {"type": "text", "text": reply["text"]}
        reason = "end_turn"
    message = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", NAME),
        "content": [block],
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 20},
    }
    if not body.get("stream"):
        return to.send(message)

    def event(kind, **members):
        to.event({"type": kind, **members}, kind)

    to.begin_stream()
    event("message_start", message={**message, "content": [], "stop_reason": None})
    if "call" in reply:
        event("content_block_start", index=0, content_block={**block, "input": {}})
        for piece in halves(json.dumps(arguments)):
            delta = {"type": "input_json_delta", "partial_json": piece}
            event("content_block_delta", index=0, delta=delta)
    else:
        event("content_block_start", index=0, content_block={"type": "text", "text": ""})
        for piece in halves(block["text"]):
            event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})
    event("content_block_stop", index=0)
    ended = {"stop_reason": reason, "stop_sequence": None}
    event("message_delta", delta=ended, usage={"output_tokens": 20})
    event("message_stop")


def gemini(to, body, streams):
    """Gemini's generateContent."""
    turns = []
    for message in body.get("contents", []):
        parts = message.get("parts", [])
        if message.get("role") == "model":
            if any("functionCall" in part for part in parts):
                turns.append(None)
        elif not any("functionResponse" in part for part in parts):
            turns.append(text_of(parts))
    has_tools = any(tool.get("functionDeclarations") for tool in body.get("tools") or [])
    reply = to.reply(turns, has_tools)
    if "call" in reply:
        name, arguments = reply["call"]
        part = {"functionCall": {"name": name, "args": arguments}}
    elif body.get("generationConfig", {}).get("responseMimeType") == "application/json":
        # It asks itself which model is good enough, and who speaks next.
        part = {"text": json.dumps({"model_choice": "flash", "next_speaker": "user", "reasoning": "-"})}
    else:
        part = {"text": reply["text"]}
    candidate = {
        "content": {"role": "model", "parts": [part]},
        "finishReason": "STOP",
        "index": 0,
    }
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}
    answer = {"candidates": [candidate], "usageMetadata": usage, "responseId": f"r{to.next_id()}"}
    if not streams:
        return to.send(answer)
    to.begin_stream()
    to.event(answer)

"""The agents: their packages, how each is told to use the scripted model, and its tools.

    agents.py names             the names of all agents
    agents.py packages NAME     what an agent needs, one a line: name, npm package, version
"""

import json
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

import model
from scenario import Edit, Read, Say, Shell, Write

#: The Node that runs them.
NODE = "24.22.3"
#: Needs no account.
KEY = "no-key-is-needed"


def machine_name():
    """This machine, as npm packages call it."""
    return {"x86_64": "x64", "aarch64": "arm64"}[platform.machine()]


@dataclass(frozen=True)
class Stage:
    """Where an agent works."""

    packages: Path
    home: Path
    workspace: Path
    model_url: str

    def package(self, agent):
        return self.packages / f"{agent.name}-{agent.version}" / "node_modules"

    @property
    def node(self):
        return self.packages / f"node-{NODE}/node_modules/node-linux-{machine_name()}/bin"

    @property
    def env(self):
        """The whole environment of what runs here: nothing of the person's own."""
        return {
            "HOME": str(self.home),
            "TMPDIR": str(self.home / "tmp"),
            "PATH": f"{self.node}:/usr/local/bin:/usr/bin:/bin",
            "SHELL": "/bin/bash",
            "USER": "user",
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "DO_NOT_TRACK": "1",
            "ACP_LENS_RUNTIME_DIR": str(self.home / "sockets"),
        }

    def write(self, path, value):
        """Writes a file of configuration beneath the home directory."""
        path = self.home / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value, indent=1))


class Agent:
    name: str
    package: str
    version: str
    #: It asks before it edits files; otherwise only before it runs commands.
    asks_for_edits = True
    #: The mode in which it asks, where that is not the mode in which it starts.
    mode = None
    #: It takes any error about a file that is not there for a failure of its own.
    missing_is_empty = False
    #: Its edits have the lines around them in a session that is loaded, too.
    replays_context = True
    #: A session that is loaded names files with their folders.
    replays_folders = True
    #: How long after the start of a session another process can load it, in seconds.
    pause_before_load = 0
    #: What else has to run, as a command and the port it answers on.
    service = None

    def configure(self, stage):
        """Writes the agent's configuration."""

    def env(self, stage):
        """What is added to the environment."""
        return {}

    def command(self, stage):
        raise NotImplementedError

    def tool(self, step, root):
        """A step as the name and arguments of one of the agent's tools."""
        raise NotImplementedError

    def reply(self, step, root):
        """A step as a reply of the model."""
        if isinstance(step, Say):
            return {"text": step.text}
        return {"call": self.tool(step, root)}


class OpenClaw(Agent):
    """`openclaw acp` is a bridge; the agent itself is a gateway that runs beside it."""

    name = "openclaw"
    package = "openclaw"
    version = "2026.9.6"
    asks_for_edits = False
    port = 18789
    token = "loopback-only"

    def configure(self, stage):
        scripted = {
            "id": model.NAME,
            "name": model.NAME,
            "reasoning": False,
            "input": ["text"],
            "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
            "contextWindow": 200000,
            "maxTokens": 8192,
        }
        provider = {
            "baseUrl": f"{stage.model_url}/v1",
            "apiKey": KEY,
            "api": "openai-completions",
            "models": [scripted],
        }
        stage.write(
            ".openclaw/openclaw.json",
            {
                "gateway": {
                    "mode": "local",
                    "bind": "loopback",
                    "port": self.port,
                    "auth": {"mode": "token", "token": self.token},
                },
                "update": {"checkOnStart": False},
                "telemetry": {"enabled": False},
                "discovery": {"mdns": {"mode": "off"}},
                "cron": {"enabled": False},
                "browser": {"enabled": False},
                "models": {"mode": "replace", "providers": {"scripted": provider}},
                "agents": {
                    "defaults": {
                        "model": {"primary": f"scripted/{model.NAME}"},
                        "workspace": str(stage.workspace),
                        "skipBootstrap": True,
                        "heartbeat": {"every": "0m"},
                    }
                },
                "tools": {"profile": "coding", "exec": {"ask": "always", "security": "allowlist"}},
            },
        )

    def env(self, stage):
        return {
            "OPENCLAW_NO_AUTO_UPDATE": "1",
            "OPENCLAW_NO_RESPAWN": "1",
            "OPENCLAW_DISABLE_BONJOUR": "1",
            "OPENCLAW_SKIP_CHANNELS": "1",
            "OPENCLAW_SKIP_GMAIL_WATCHER": "1",
            "OPENCLAW_SKIP_CANVAS_HOST": "1",
            "OPENCLAW_HIDE_BANNER": "1",
            "OPENCLAW_SUPPRESS_NOTES": "1",
        }

    def program(self, stage):
        return [str(stage.node / "node"), str(stage.package(self) / "openclaw/openclaw.mjs")]

    def service(self, stage):
        return [*self.program(stage), "gateway", "run", "--port", str(self.port)], self.port

    def command(self, stage):
        gateway = ["--url", f"ws://127.0.0.1:{self.port}", "--token", self.token]
        return [*self.program(stage), "acp", *gateway]

    def tool(self, step, root):
        match step:
            case Read(path):
                return "read", {"path": path}
            case Write(path, text):
                return "write", {"path": path, "content": text}
            case Edit(path, old, new):
                return "edit", {"path": path, "edits": [{"oldText": old, "newText": new}]}
            case Shell(command):
                return "exec", {"command": command}


class Claude(Agent):
    name = "claude"
    package = "@agentclientprotocol/claude-agent-acp"
    version = "0.101.0"
    mode = "default"
    replays_context = False

    def env(self, stage):
        return {
            "ANTHROPIC_BASE_URL": stage.model_url,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CONFIG_DIR": str(stage.home / ".claude"),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
        }

    def command(self, stage):
        return [str(stage.node / "node"), str(stage.package(self) / self.package / "dist/index.js")]

    def tool(self, step, root):
        match step:
            case Read(path):
                return "Read", {"file_path": f"{root}/{path}"}
            case Write(path, text):
                return "Write", {"file_path": f"{root}/{path}", "content": text}
            case Edit(path, old, new):
                return "Edit", {
                    "file_path": f"{root}/{path}",
                    "old_string": old,
                    "new_string": new,
                }
            case Shell(command):
                return "Bash", {"command": command, "description": "Run a command"}


class OpenCode(Agent):
    name = "opencode"
    package = "opencode-ai"
    version = "1.18.33"

    def configure(self, stage):
        limits = {"context": 200000, "output": 8192}
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "scripted",
            "options": {"baseURL": f"{stage.model_url}/v1", "apiKey": KEY},
            "models": {model.NAME: {"name": model.NAME, "tool_call": True, "limit": limits}},
        }
        stage.write(
            ".config/opencode/opencode.json",
            {
                "autoupdate": False,
                "share": "disabled",
                "model": f"scripted/{model.NAME}",
                "small_model": f"scripted/{model.NAME}",
                "enabled_providers": ["scripted"],
                "provider": {"scripted": provider},
                "permission": {"edit": "ask", "bash": "ask"},
            },
        )

    def env(self, stage):
        folders = {"CONFIG": ".config", "DATA": ".local/share", "CACHE": ".cache", "STATE": ".local/state"}
        return {
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
            "OPENCODE_DISABLE_SHARE": "1",
        } | {f"XDG_{name}_HOME": str(stage.home / folder) for name, folder in folders.items()}

    def command(self, stage):
        return [str(stage.package(self) / f"opencode-linux-{machine_name()}/bin/opencode"), "acp"]

    def tool(self, step, root):
        match step:
            case Read(path):
                return "read", {"filePath": f"{root}/{path}"}
            case Write(path, text):
                return "write", {"filePath": f"{root}/{path}", "content": text}
            case Edit(path, old, new):
                return "edit", {"filePath": f"{root}/{path}", "oldString": old, "newString": new}
            case Shell(command):
                return "bash", {"command": command, "description": "Run a command"}


class Qwen(Agent):
    name = "qwen"
    package = "@qwen-code/qwen-code"
    version = "0.24.4"
    mode = "default"
    #: Where it keeps its configuration, and how it signs in.
    folder = ".qwen"
    signs_in = "openai"

    def configure(self, stage):
        stage.write(
            f"{self.folder}/settings.json",
            {
                "security": {
                    "auth": {"selectedType": self.signs_in},
                    "folderTrust": {"enabled": False},
                },
                "privacy": {"usageStatisticsEnabled": False},
                "telemetry": {"enabled": False},
                "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
                "model": {"name": model.NAME},
            },
        )

    def env(self, stage):
        return {
            "OPENAI_BASE_URL": f"{stage.model_url}/v1",
            "OPENAI_API_KEY": KEY,
            "OPENAI_MODEL": model.NAME,
            "QWEN_TELEMETRY_ENABLED": "false",
        }

    def command(self, stage):
        program = stage.package(self) / self.package / "cli-entry.js"
        return [str(stage.node / "node"), str(program), "--acp"]

    def tool(self, step, root):
        match step:
            case Read(path):
                return "read_file", {"file_path": f"{root}/{path}"}
            case Write(path, text):
                return "write_file", {"file_path": f"{root}/{path}", "content": text}
            case Edit(path, old, new):
                arguments = {"file_path": f"{root}/{path}", "old_string": old, "new_string": new}
                return self.edit, arguments | self.edit_extra
            case Shell(command):
                return "run_shell_command", {"command": command, "is_background": False}

    edit = "edit"
    edit_extra = {}


class Gemini(Qwen):
    """Qwen is a relative of it."""

    name = "gemini"
    package = "@google/gemini-cli"
    version = "0.61.0"
    folder = ".gemini"
    signs_in = "gemini-api-key"
    edit = "replace"
    edit_extra = {"instruction": "Change it."}
    missing_is_empty = True
    # In the same minute the new process would begin a record of the same name.
    pause_before_load = 61
    replays_folders = False

    def env(self, stage):
        return {
            "GOOGLE_GEMINI_BASE_URL": stage.model_url,
            "GEMINI_API_KEY": KEY,
            "GEMINI_CLI_NO_RELAUNCH": "true",
            "GEMINI_TELEMETRY_ENABLED": "false",
        }

    def command(self, stage):
        program = stage.package(self) / self.package / "bundle/gemini.js"
        return [str(stage.node / "node"), str(program), "--acp"]


AGENTS = {agent.name: agent for agent in (OpenClaw(), Claude(), OpenCode(), Qwen(), Gemini())}


def main(what, *names):
    if what == "names":
        print("\n".join(AGENTS))
    for name in names:
        if name not in AGENTS:
            print(f"error: there is no agent {name!r}", file=sys.stderr)
            print(f"  help: the agents are {', '.join(AGENTS)}", file=sys.stderr)
            sys.exit(2)
        agent = AGENTS[name]
        print("node", f"node-linux-{machine_name()}", NODE)
        print(agent.name, agent.package, agent.version)


if __name__ == "__main__":
    main(*sys.argv[1:])

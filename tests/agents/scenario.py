"""What the scripted model lets an agent do, and what is to be seen of it afterwards.

The model is asked with prompts that name a part of the script, `SCRIPT:create` for instance; the
parts are lists of steps, in words that are no agent's. `agents.py` says them with the tools of
each agent.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Say:
    text: str


@dataclass(frozen=True)
class Read:
    path: str


@dataclass(frozen=True)
class Write:
    path: str
    text: str


@dataclass(frozen=True)
class Edit:
    """Replaces the one place where `old` stands."""

    path: str
    old: str
    new: str


@dataclass(frozen=True)
class Shell:
    command: str


CALC = """\
def add(a, b):
    return a + b


def sub(a, b):
    return a - b


def mul(a, b):
    return a * b


def div(a, b):
    return a / b


print(add(1, 2))
print(sub(1, 2))
print(mul(1, 2))
print(div(1, 2))
"""

#: The workspace before the first prompt.
SEED = {
    "src/calc.py": CALC,
    "notes.txt": "alpha\nbeta\ngamma\n",
}

GREET = 'def greet(name):\n    return f"Hello, {name} \u2600"\n\n\nprint(greet("you"))\n'

#: A command that runs until it is cancelled, and is found among the processes.
SLOW = "tail -f /dev/null"

SCRIPT = {
    "create": [Write("greet.py", GREET), Say("Created.")],
    "change": [
        Read("src/calc.py"),
        Edit("src/calc.py", "    return a + b", "    return b + a  # sum"),
        Edit("src/calc.py", "print(div(1, 2))", "print(div(4, 2))\nprint(div(6, 2))"),
        Read("notes.txt"),
        Edit("notes.txt", "beta\n", ""),
        Say("Changed."),
    ],
    "refuse": [Write("refused.txt", "never\n"), Say("Refused.")],
    "shell": [Shell("touch shell.txt"), Say("Run.")],
    "refuse-shell": [Shell("touch refused.txt"), Say("Refused.")],
    "slow": [Shell(SLOW), Say("Slept.")],
    "hello": [Say("Hello there.")],
}

#: The workspace after `create` and `change`.
CHANGED = {
    "src/calc.py": CALC.replace("return a + b", "return b + a  # sum").replace(
        "print(div(1, 2))", "print(div(4, 2))\nprint(div(6, 2))"
    ),
    "notes.txt": "alpha\ngamma\n",
    "greet.py": GREET,
}

#: What an editor lists after them: path, action, lines added, lines removed.
LISTED = [
    ("greet.py", "created", 5, 0),
    ("src/calc.py", "modified", 3, 2),
    ("notes.txt", "modified", 0, 1),
]

#: Where the hunks of the changed files stand: first line and the line after the last, from 0.
HUNKS = {
    "greet.py": [],
    "src/calc.py": [(1, 2), (19, 21)],
    "notes.txt": [(1, 1)],
}


def prompt(name):
    """The words of a person that start a part of the script."""
    return f"Please do it. SCRIPT:{name}"

"""Runs a command, and copies what passes its standard input and output into PREFIX.in and PREFIX.out."""

import os
import subprocess
import sys
import threading


def copy(source, target, path, closes):
    # Unbuffered: the process may end while this thread waits for its client.
    with open(path, "wb", buffering=0) as file:
        while data := os.read(source, 65536):
            file.write(data)
            while data:
                data = data[os.write(target, data) :]
    if closes:
        os.close(target)


def main(prefix, *command):
    agent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    stdin = os.dup(agent.stdin.fileno())
    agent.stdin.close()
    arguments = (0, stdin, f"{prefix}.in", True)
    threading.Thread(target=copy, args=arguments, daemon=True).start()
    copy(agent.stdout.fileno(), 1, f"{prefix}.out", False)
    return agent.wait()


if __name__ == "__main__":
    status = main(*sys.argv[1:])
    # Not `sys.exit`: the other thread may wait for ever for a client that says nothing more.
    os._exit(status if status >= 0 else 1)

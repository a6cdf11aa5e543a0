import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

interface Entry {
  command: string;
  when: string;
}

const { contributes } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"),
) as {
  contributes: {
    commands: { command: string }[];
    menus: Record<string, Entry[]>;
  };
};

/** The commands that a row with this context value offers. */
function offered(contextValue: string): string[] {
  const names = (contributes.menus["view/item/context"] ?? []).flatMap(({ command, when }) => {
    const pattern = /viewItem =~ \/(.*)\/$/.exec(when)?.[1];
    assert.ok(pattern, when);
    return new RegExp(pattern).test(contextValue) ? [command.replace("acpLens.", "")] : [];
  });
  return [...new Set(names)].sort();
}

test("a row offers what its file allows", () => {
  const native = ["openWith", "reveal"];
  assert.deepEqual(offered("file modified"), ["openDiff", "openFile", ...native]);
  assert.deepEqual(offered("file created"), ["openDiff", "openFile", ...native]);
  assert.deepEqual(offered("file html created"), [
    "openDiff",
    "openFile",
    "openInBrowser",
    ...native,
  ]);
  assert.deepEqual(offered("hunk"), ["openDiff", "openFile"]);
});

test("a row of what was deleted offers its diff alone", () => {
  for (const contextValue of ["file deleted", "file html deleted", "hunk deleted"]) {
    assert.deepEqual(offered(contextValue), ["openDiff"], contextValue);
  }
});

test("a session can be closed by what it came from", () => {
  assert.deepEqual(offered("session host"), ["closeSession", "openAllDiffs", "showSession"]);
  assert.deepEqual(offered("session trace"), ["closeTrace", "openAllDiffs", "showSession"]);
  assert.deepEqual(offered("session tap"), ["openAllDiffs", "showSession"]);
  assert.deepEqual(offered("turn"), ["openAllDiffs"]);
  assert.deepEqual(offered("silent"), []);
});

test("every command of a menu is one of the extension", () => {
  const known = new Set(contributes.commands.map(({ command }) => command));
  for (const { command } of Object.values(contributes.menus).flat()) {
    assert.ok(known.has(command), command);
  }
});

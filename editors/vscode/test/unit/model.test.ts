import assert from "node:assert/strict";
import { test } from "node:test";
import { Backoff } from "../../src/model/backoff.ts";
import { hunkAt, linesOf, marksOf } from "../../src/model/marks.ts";
import { Store } from "../../src/model/store.ts";
import { accessible, counts, firstLine, stateWord } from "../../src/model/text.ts";
import { files, roots, sessionChildren, turnChildren } from "../../src/model/tree.ts";
import type { Hunk } from "../../src/protocol.ts";
import { file, session, turn } from "./examples.ts";

const t = (message: string, ...values: (string | number)[]) =>
  message.replace(/\{(\d)\}/g, (_, index) => String(values[Number(index)]));

function hunk(from: [number, number], to: [number, number], change: Partial<Hunk> = {}): Hunk {
  return {
    id: `h${from[0]}`,
    range: {
      start: { line: from[0], character: from[1] },
      end: { line: to[0], character: to[1] },
    },
    kind: "modified",
    wholeFile: false,
    state: "inPlace",
    session: "s1",
    agent: null,
    turn: "t1",
    turnNumber: 1,
    toolCall: "c1",
    added: 1,
    removed: 1,
    candidates: [],
    replaces: [],
    reason: null,
    oldText: null,
    newText: null,
    ...change,
  };
}

test("counts say what is not known", () => {
  assert.equal(counts(3, 1), "+3 -1");
  assert.equal(counts(0, 0), "+0 -0");
  assert.equal(counts(null, null), "+? -?");
});

test("a row is read aloud with its action, counts and place", () => {
  const row = { action: "modified", added: 3, removed: 1 } as const;
  assert.equal(accessible(row, { index: 2, total: 5 }, t), "modified, 3 added, 1 removed, 2 of 5");
  assert.equal(
    accessible({ action: "deleted", added: null, removed: null }, null, t),
    "deleted, lines not counted",
  );
});

test("a hunk that stands where expected has no word for its state", () => {
  assert.equal(stateWord("inPlace", t), null);
  assert.equal(stateWord("edited", t), "edited since");
});

test("the first line of a prompt is cut by characters", () => {
  assert.equal(firstLine("one\ntwo"), "one");
  assert.equal([...firstLine("é😀".repeat(80))].length, 80);
  assert.equal(firstLine(null), "");
});

test("a range of whole lines does not mark the line below", () => {
  assert.deepEqual(linesOf(hunk([4, 0], [7, 0]), 100), { first: 4, last: 6 });
  assert.deepEqual(linesOf(hunk([4, 0], [4, 12]), 100), { first: 4, last: 4 });
});

test("a seam marks one line, also at the end of the file", () => {
  assert.deepEqual(linesOf(hunk([10, 0], [10, 0]), 10), { first: 9, last: 9 });
  assert.equal(linesOf(hunk([0, 0], [0, 0], { range: null }), 10), null);
});

test("marks are sorted by kind", () => {
  const marks = marksOf(
    [hunk([0, 0], [1, 0], { kind: "added" }), hunk([5, 0], [5, 0], { kind: "deleted" })],
    10,
  );
  assert.deepEqual(marks, {
    added: [{ first: 0, last: 0 }],
    modified: [],
    deleted: [{ first: 5, last: 5 }],
  });
});

test("the smallest hunk at a line is the one that is meant", () => {
  const outer = hunk([0, 0], [10, 0]);
  const inner = hunk([3, 0], [5, 0]);
  assert.equal(hunkAt([outer, inner], 4, 20)?.id, inner.id);
  assert.equal(hunkAt([outer, inner], 8, 20)?.id, outer.id);
  assert.equal(hunkAt([outer, inner], 15, 20), null);
});

test("a server that ends is started again with growing pauses, then left alone", () => {
  const backoff = new Backoff();
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((second) => backoff.next(second * 1000)),
    [250, 500, 1000, 2000, null],
  );
  assert.equal(backoff.next(200_000), 250);
});

function sample() {
  const store = new Store();
  store.apply({
    revision: 1,
    reset: true,
    sessions: [session({ notices: [{ kind: "gap", message: "a gap", toolCall: null }] })],
    closed: [],
    turns: [turn(1), turn(2), turn(3, { files: 0 })],
    files: [
      file("src/a/one.ts", [1, 2]),
      file("src/a/two.ts", [2]),
      file("README.md", [2], { action: "created" }),
    ],
  });
  const [entry] = store.sessions;
  assert.ok(entry);
  return { store, entry };
}

test("a turn without changes and without notices has no row", () => {
  const { entry } = sample();
  assert.deepEqual(
    sessionChildren(entry, { session: null, turn: null }).map((node) =>
      node.type === "turn" ? node.turn.number : node.message,
    ),
    ["a gap", 1, 2],
  );
});

test("a filter leaves one turn", () => {
  const { store, entry } = sample();
  const filter = { session: "s1", turn: "t2" };
  assert.equal(roots(store.sessions, filter).length, 1);
  assert.equal(roots(store.sessions, { session: "other", turn: null }).length, 0);
  assert.deepEqual(
    sessionChildren(entry, filter).flatMap((node) =>
      node.type === "turn" ? [node.turn.turn] : [],
    ),
    ["t2"],
  );
});

test("files of a turn know their place in it", () => {
  const { entry } = sample();
  assert.deepEqual(
    files(entry, "t2").map((node) => [node.file.file.relativePath, node.index, node.total]),
    [
      ["src/a/one.ts", 1, 3],
      ["src/a/two.ts", 2, 3],
      ["README.md", 3, 3],
    ],
  );
  assert.equal(files(entry, null).length, 3);
});

test("files of a turn stand in the order in which it changed them", () => {
  const { store, entry } = sample();
  const readme = file("README.md", [2], { action: "created" });
  for (const part of readme.turns) {
    part.sequence = 0;
  }
  store.apply({
    revision: 2,
    reset: false,
    sessions: [],
    closed: [],
    turns: [],
    files: [readme],
  });
  assert.deepEqual(
    files(entry, "t2").map((node) => node.file.file.relativePath),
    ["README.md", "src/a/one.ts", "src/a/two.ts"],
  );
});

test("folders with one folder in them share a row", () => {
  const { entry } = sample();
  const children = turnChildren(entry, turn(2), "tree");
  assert.deepEqual(
    children.map((node) =>
      node.type === "folder"
        ? [node.name, node.children.length]
        : node.type === "file"
          ? node.file.file.relativePath
          : node.message,
    ),
    [["src/a", 2], "README.md"],
  );
});

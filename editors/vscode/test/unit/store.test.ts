import assert from "node:assert/strict";
import { test } from "node:test";
import { orderedTurns, Store } from "../../src/model/store.ts";
import type { ActivityChange, SessionInfo } from "../../src/protocol.ts";
import { file, session, turn } from "./examples.ts";

function change(over: Partial<ActivityChange>): ActivityChange {
  return { revision: 1, reset: false, sessions: [], closed: [], turns: [], files: [], ...over };
}

test("an older message changes nothing", () => {
  const store = new Store();
  store.apply(change({ revision: 5, reset: true, sessions: [session()] }));
  assert.equal(store.apply(change({ revision: 4, closed: ["s1"] })), null);
  assert.equal(store.sessions.length, 1);
});

test("a reset forgets what was known", () => {
  const store = new Store();
  store.apply(change({ revision: 5, reset: true, sessions: [session()] }));
  store.apply(change({ revision: 1, reset: true, sessions: [session({ session: "s2" })] }));
  assert.deepEqual(
    store.sessions.map((entry) => entry.info.session),
    ["s2"],
  );
  assert.equal(store.revision, 1);
});

test("turns come in order, however they arrive", () => {
  const store = new Store();
  store.apply(change({ reset: true, sessions: [session()], turns: [turn(3), turn(1), turn(2)] }));
  const [entry] = store.sessions;
  assert.ok(entry);
  assert.deepEqual(
    orderedTurns(entry).map((each) => each.number),
    [1, 2, 3],
  );
});

test("a file of two sessions counts once", () => {
  const store = new Store();
  store.apply(
    change({
      reset: true,
      sessions: [session(), session({ session: "s2" })],
      files: [file("a.txt", [1]), file("a.txt", [1], { session: "s2" }), file("b.txt", [1])],
    }),
  );
  assert.equal(store.changedUris().size, 2);
  assert.equal(store.fileOf("file:///w/a.txt")?.session, "s2");
  assert.equal(store.fileOf("file:///w/a.txt", "s1")?.session, "s1");
  assert.equal(store.fileOf("file:///w/z.txt"), null);
});

test("files are found by the editor's way of writing a uri", () => {
  const store = new Store((uri) => uri.replace("file:///C:/", "file:///c%3A/"));
  store.apply(
    change({
      sessions: [session()],
      files: [file("a.txt", [1], { uri: "file:///C:/w/a.txt" })],
    }),
  );
  assert.equal(store.fileOf("file:///c%3A/w/a.txt")?.file.relativePath, "a.txt");
  assert.deepEqual([...store.changedUris()], ["file:///c%3A/w/a.txt"]);
});

/** The ids of the sessions whose turn ended, after each message. */
function ended(...messages: (Partial<SessionInfo> | { activity: Partial<ActivityChange> })[]) {
  const store = new Store();
  return messages.map((message, index) =>
    ("activity" in message
      ? store.apply(change({ revision: index + 1, ...message.activity }))
      : store.applySession(session(message))
    )?.ended.map((info) => info.session),
  );
}

test("the end of a turn is told once", () => {
  assert.deepEqual(ended({ state: "prompting" }, { state: "idle" }, { state: "idle" }), [
    [],
    ["s1"],
    [],
  ]);
});

test("a turn that an agent's end cut off has ended", () => {
  assert.deepEqual(ended({ state: "prompting" }, { state: "disconnected" }), [[], ["s1"]]);
});

test("a turn too short to be seen running has ended, too", () => {
  const after: Partial<SessionInfo> = { state: "idle", stopReason: "end_turn", turnCount: 1 };
  assert.deepEqual(ended({ state: "idle", turnCount: 0 }, after, after), [[], ["s1"], []]);
});

test("what was known before a reset tells the end of a turn after it", () => {
  assert.deepEqual(
    ended({ state: "prompting" }, { activity: { reset: true, sessions: [session()] } }),
    [[], ["s1"]],
  );
});

test("a session that was idle when it became known ended no turn", () => {
  const replayed = session({ stopReason: "end_turn", turnCount: 3 });
  assert.deepEqual(ended({ activity: { reset: true, sessions: [replayed] } }), [[]]);
});

test("an error is told when it is new", () => {
  const store = new Store();
  const failed = (error: string | null) =>
    store.applySession(session({ error })).failed.map((info) => info.error);
  assert.deepEqual([null, "gone", "gone", null, "gone"].map(failed), [
    [],
    ["gone"],
    [],
    [],
    ["gone"],
  ]);
});

test("without a server nothing is live, but what was listed stays", () => {
  const store = new Store();
  store.apply(
    change({
      reset: true,
      sessions: [session({ source: "host" }), session({ session: "s2" })],
      files: [file("a.txt", [1])],
    }),
  );
  store.disconnect();
  assert.deepEqual(
    store.sessions.map((entry) => entry.info.state),
    ["disconnected", "idle"],
  );
  assert.equal(store.changedUris().size, 1);
});

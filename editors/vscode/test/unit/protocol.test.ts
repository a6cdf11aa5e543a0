import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { method } from "../../src/protocol.ts";

const root = join(import.meta.dirname, "../..");
const document = readFileSync(join(root, "../../docs/protocol.md"), "utf8");

/** Types that have another name here than in the document, or are written where they are used. */
const TYPE: Record<string, string> = {
  DidChangeActivityParams: "P.ActivityChange",
  OpenHandlersResult: "P.OpenHandlers",
  AgentsResult: "{ agents: P.AgentInfo[] }",
  SessionStarted: "{ session: P.SessionInfo }",
  FileParams: "{ file: P.FileRef }",
};
const declared = new Set(
  [
    ...readFileSync(join(root, "src/protocol.ts"), "utf8").matchAll(
      /^export (?:interface|type) (\w+)/gm,
    ),
  ].map((match) => match[1] ?? ""),
);

interface Example {
  type: string;
  json: string;
}

function examples(): Example[] {
  return [...document.matchAll(/^```json (\w+)\n([\s\S]*?)\n```$/gm)].flatMap(
    ([, name = "", json = ""]) => {
      const type = TYPE[name] ?? (declared.has(name) ? `P.${name}` : null);
      return type ? [{ type, json }] : [];
    },
  );
}

/** What the compiler says when each example is taken for a value of its type; empty when all fit. */
function compile(all: Example[]): string {
  // Not assigned as literals: what the document knows more than this client is no error.
  const source = [
    `import type * as P from ${JSON.stringify(join(root, "src/protocol.ts"))};`,
    "type Mutable<T> = { -readonly [K in keyof T]: Mutable<T[K]> };",
    "declare function example<const V>(value: V): Mutable<V>;",
    ...all.flatMap(({ type, json }, index) => [
      `const json${index} = example(${json});`,
      `export const typed${index}: ${type} = json${index};`,
    ]),
  ].join("\n");
  const folder = mkdtempSync(join(tmpdir(), "acp-lens-protocol-"));
  try {
    const file = join(folder, "examples.ts");
    writeFileSync(file, source);
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const options =
      "--noEmit --strict --exactOptionalPropertyTypes --allowImportingTsExtensions --ignoreConfig";
    execFileSync(
      process.execPath,
      [compiler, ...options.split(" "), "--target", "ES2023", "--module", "preserve", file],
      { encoding: "utf8", stdio: "pipe" },
    );
    return "";
  } catch (error) {
    return (error as { stdout?: string }).stdout || String(error);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("the examples of the document fit the types", () => {
  const all = examples();
  assert.ok(all.length >= 15, `${all.length} examples`);
  assert.equal(compile(all), "");
});

test("an example that does not fit is noticed", () => {
  const [some] = examples().filter(({ type }) => type === "P.HunksResult");
  assert.ok(some);
  const state = compile([{ ...some, json: some.json.replace('"inPlace"', '"elsewhere"') }]);
  assert.match(state, /elsewhere/);
  const member = compile([{ ...some, json: some.json.replace('"limit"', '"boundary"') }]);
  assert.match(member, /limit/);
});

test("every method is one of the document", () => {
  const described = new Set(
    [...document.matchAll(/^### .*$/gm)].flatMap(([line]) =>
      [...line.matchAll(/`(acpLens\/[\w/]+)`/g)].map((match) => match[1]),
    ),
  );
  assert.deepEqual(
    Object.values(method).filter((name) => !described.has(name)),
    [],
  );
});

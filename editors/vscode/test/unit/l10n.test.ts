import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "../..");
const json = (name: string) =>
  JSON.parse(readFileSync(join(root, name), "utf8")) as Record<string, string>;

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sources(path) : [readFileSync(path, "utf8")];
  });
}

test("every word of the manifest has a text in both languages", () => {
  const used = new Set(
    [...readFileSync(join(root, "package.json"), "utf8").matchAll(/"%([\w.]+)%"/g)].map(
      (match) => match[1],
    ),
  );
  for (const name of ["package.nls.json", "package.nls.zh-cn.json"]) {
    assert.deepEqual(new Set(Object.keys(json(name))), used, name);
  }
});

test("every sentence of the code is translated, and no translation is left over", () => {
  const used = new Set<string>();
  for (const text of sources(join(root, "src"))) {
    for (const match of text.matchAll(/\bt\(\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/g)) {
      const literal = match[1] ?? "";
      used.add(literal.slice(1, -1).replaceAll('\\"', '"').replaceAll("\\'", "'"));
    }
  }
  assert.deepEqual(new Set(Object.keys(json("l10n/bundle.l10n.zh-cn.json"))), used);
});

/** Literals that a person would read and that are not given to `t`. */
function bare(text: string): string[] {
  const members =
    /\b(?:title|label|placeHolder|placeholder|prompt|tooltip|description|detail)\??\s*[:=]\s*(["'`])(.*?)\1/g;
  const calls =
    /\b(?:show\w+Message|setStatusBarMessage|appendText|appendMarkdown|TreeItem)\(\s*(["'`])(.*?)\1/g;
  return [...text.matchAll(members), ...text.matchAll(calls)]
    .map((match) => match[2] ?? "")
    .filter((literal) => {
      const shown = literal.replace(/\$\{(?:[^{}]|\{\d\})*\}|\$\([\w~-]+\)/g, "");
      return /\p{L}{2}/u.test(shown);
    });
}

test("no sentence of the code is left in one language", () => {
  assert.deepEqual(sources(join(root, "src")).flatMap(bare), []);
});

test("a sentence in one language is noticed", () => {
  const code = String.raw`
    vscode.window.showErrorMessage("The server does not run.");
    pick.title = 'A file';
    items.push({ label: \`$(file) \${path} changed\` });
    items.push({ label: \`$(file) \${path}:\${line}\`, description: t("default") });
    items.push({ description: \`\${t("Turn {0}", turn.number)}\` });
  `.replaceAll("\\", "");
  assert.deepEqual(bare(code).sort(), [
    `$(file) $${"{path}"} changed`,
    "A file",
    "The server does not run.",
  ]);
});

test("a translation keeps the places of its values", () => {
  for (const [source, translated] of Object.entries(json("l10n/bundle.l10n.zh-cn.json"))) {
    const places = (text: string) => [...text.matchAll(/\{\d\}/g)].map((match) => match[0]).sort();
    assert.deepEqual(places(translated), places(source), source);
  }
});

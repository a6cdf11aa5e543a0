// Bundles the extension into two files, its own code and the language client that it loads later; `--production` makes it small, `--watch` keeps it fresh.
import { readFileSync, writeFileSync } from "node:fs";
import * as esbuild from "esbuild";

/**
 * The client library asks `semver` whether the editor is new enough. VS Code has answered that
 * before it runs the extension (`engines.vscode` in package.json), so the package stays out.
 */
const withoutVersionCheck = {
  name: "without-version-check",
  setup(build) {
    build.onResolve({ filter: /^semver\/functions\// }, ({ path }) => ({
      path,
      namespace: "version-check",
    }));
    build.onLoad({ filter: /.*/, namespace: "version-check" }, () => ({
      contents: "module.exports = () => true;",
    }));
  },
};

/** The language client is a bundle of its own: activation neither reads nor compiles it. */
const clientApart = {
  name: "client-apart",
  setup(build) {
    build.onResolve({ filter: /^\.\/client\.ts$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "./client.js", external: true } : undefined,
    );
  },
};

const production = process.argv.includes("--production");
const options = {
  entryPoints: { extension: "src/extension.ts", client: "src/client.ts" },
  bundle: true,
  outdir: "dist",
  platform: "node",
  format: "cjs",
  mainFields: ["module", "main"],
  target: "node22",
  external: ["vscode"],
  // `require`, which VS Code gives the module "vscode" to; `import()` goes round it.
  supported: { "dynamic-import": false },
  minify: production,
  legalComments: "none",
  charset: "utf8",
  sourcemap: production ? false : "linked",
  logLevel: "warning",
  plugins: [withoutVersionCheck, clientApart],
};

if (process.argv.includes("--watch")) {
  const context = await esbuild.context(options);
  await context.watch();
} else {
  await esbuild.build(options);
}

// vsce takes relative pictures only from a project with a public address, so the README of the
// package (`vsce.readmePath`) has none.
if (production) {
  const readme = readFileSync("README.md", "utf8");
  writeFileSync("dist/README.md", readme.replaceAll(/^!\[.*\)\n\n?/gm, ""));
}

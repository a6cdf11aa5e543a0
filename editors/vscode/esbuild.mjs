// Bundles the extension into one file; `--production` makes it small, `--watch` keeps it fresh.
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

const production = process.argv.includes("--production");
const options = {
  entryPoints: { extension: "src/extension.ts" },
  bundle: true,
  outdir: "dist",
  platform: "node",
  format: "cjs",
  mainFields: ["module", "main"],
  target: "node22",
  external: ["vscode"],
  minify: production,
  legalComments: "none",
  charset: "utf8",
  sourcemap: production ? false : "linked",
  logLevel: "warning",
  plugins: [withoutVersionCheck],
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

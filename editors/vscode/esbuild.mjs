// Bundles the extension into one file; `--production` makes it small, `--watch` keeps it fresh.
import * as esbuild from "esbuild";

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
};

if (process.argv.includes("--watch")) {
  const context = await esbuild.context(options);
  await context.watch();
} else {
  await esbuild.build(options);
}

/** Which `acp-lens` is run: the setting, the one in the extension, then the PATH. */

import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import * as vscode from "vscode";
import { t } from "./l10n.ts";

const NAME = process.platform === "win32" ? "acp-lens.exe" : "acp-lens";

export type Binary = { path: string; origin: "setting" | "bundled" | "path" } | { problem: string };

function runs(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function findBinary(context: vscode.ExtensionContext): Binary {
  const setting = vscode.workspace.getConfiguration("acpLens").get("server.path", "").trim();
  // VS Code leaves out what a workspace says here until it is trusted (`restrictedConfigurations`).
  if (setting) {
    const path = setting.replace(/^~(?=[\\/])/, process.env.HOME ?? "~");
    // A binary that was asked for is the only one: another in its place would surprise.
    return isAbsolute(path) && runs(path)
      ? { path, origin: "setting" }
      : {
          problem: t('The setting "acpLens.server.path" names {0}, which cannot be run.', setting),
        };
  }
  const bundled = context.asAbsolutePath(join("bin", NAME));
  if (runs(bundled)) {
    return { path: bundled, origin: "bundled" };
  }
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const path = join(folder, NAME);
    if (folder && runs(path)) {
      return { path, origin: "path" };
    }
  }
  return {
    problem: t(
      'The binary "acp-lens" was not found. Put it on your PATH, or name it in the setting "acpLens.server.path".',
    ),
  };
}

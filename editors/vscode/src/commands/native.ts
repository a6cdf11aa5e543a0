/** Commands that leave the editor: open with, reveal, open in a browser. The server checks each. */

import * as vscode from "vscode";
import type { Context } from "../context.ts";
import { t } from "../l10n.ts";
import { method, type OpenHandlers } from "../protocol.ts";
import type { ViewNode } from "../views/changes.ts";

/** The file of a row; `null` for a deleted one, which has nothing to open. */
function fileOf(node: ViewNode | undefined) {
  return node?.type === "file" && node.row.action !== "deleted" ? node.file.file : null;
}

async function openWith(context: Context, node?: ViewNode): Promise<void> {
  const file = fileOf(node);
  if (!file) {
    return;
  }
  const result = await context.server.request<OpenHandlers>(method.openHandlers, { file });
  if (!result) {
    return;
  }
  const items: (vscode.QuickPickItem & { run: () => unknown })[] = [];
  if (result.browser) {
    items.push({
      label: `$(globe) ${t("Open in Browser")}`,
      run: () => context.server.request(method.openInBrowser, { file }),
    });
    items.push({
      label: "",
      kind: vscode.QuickPickItemKind.Separator,
      run: () => undefined,
    });
  }
  for (const handler of result.handlers) {
    items.push({
      label: handler.name,
      description: handler.isDefault ? t("default") : "",
      run: () => context.server.request(method.openWith, { file, handler: handler.id }),
    });
  }
  items.push({
    label: `$(folder-opened) ${result.revealLabel}`,
    run: () => context.server.request(method.reveal, { file }),
  });
  const picked = await vscode.window.showQuickPick(items, {
    title: t("Open {0} with", file.relativePath),
  });
  await picked?.run();
}

export function registerNative(context: Context): vscode.Disposable[] {
  const on = (name: string, run: (node?: ViewNode) => unknown) =>
    vscode.commands.registerCommand(`acpLens.${name}`, run);
  const ask = (name: string) => async (node?: ViewNode) => {
    const file = fileOf(node);
    if (file) {
      await context.server.request(name, { file });
    }
  };
  return [
    on("openWith", (node) => openWith(context, node)),
    on("reveal", ask(method.reveal)),
    on("openInBrowser", ask(method.openInBrowser)),
  ];
}

/** The settings as the server has them. */

import * as vscode from "vscode";

export function serverSettings(): Record<string, unknown> {
  const config = vscode.workspace.getConfiguration("acpLens");
  const trusted = vscode.workspace.isTrusted;
  return {
    codeLens: config.get("codeLens"),
    diagnostics: "off",
    profile: config.get("profile"),
    follow: config.get("follow"),
    maxFileLines: config.get("maxFileLines"),
    maxFileBytes: config.get("maxFileBytes"),
    tap: { enabled: config.get("tap.enabled") },
    // What a workspace may name only once it is trusted: programs to run and files to read.
    agents: trusted ? config.get("agents") : {},
    trace: trusted ? (config.get<string | null>("trace") ?? null) : null,
  };
}

/**
 * The language client: a bundle of its own, because the library is most of the extension's code and
 * nobody waits for it while the window opens.
 */

import {
  type CancellationToken,
  CloseAction,
  ErrorAction,
  LanguageClient,
  type StaticFeature,
} from "vscode-languageclient/node";
import {
  type ActivityChange,
  type HunksResult,
  method,
  type PermissionOutcome,
  type PermissionQuestion,
  PROTOCOL_VERSION,
  type SessionInfo,
  type TimelineUpdate,
} from "./protocol.ts";
import type { Listener } from "./server.ts";

/** What a client is made from. */
export interface Setup {
  /** Path of the binary. */
  path: string;
  settings: Record<string, unknown>;
  log: import("vscode").LogOutputChannel;
  listener: Listener;
  /** The server's process ended, or its output broke. */
  closed(): void;
}

/** A client that is not started yet. */
export function createClient({ path, settings, log, listener, closed }: Setup): LanguageClient {
  const run = { command: path, args: ["lsp"] };
  const client = new LanguageClient(
    "acpLens",
    "acp-lens",
    { run, debug: run },
    {
      documentSelector: [{ scheme: "file" }],
      initializationOptions: settings,
      outputChannel: log,
      middleware: {
        window: {
          // The server asks for it only while its setting "follow" is on.
          showDocument: async ({ uri, selection }) => {
            const range = selection ? client.protocol2CodeConverter.asRange(selection) : null;
            await listener.follow(client.protocol2CodeConverter.asUri(uri), range);
            return { success: true };
          },
        },
      },
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue }),
        closed: () => {
          closed();
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
    },
  );
  client.registerFeature(extensionCapability);
  client.onNotification(method.didChangeActivity, (change: ActivityChange) =>
    listener.activity(change),
  );
  client.onNotification(method.didChangeSession, (info: SessionInfo) => listener.session(info));
  client.onNotification(method.didChangeHunks, (result: HunksResult) => listener.hunks(result));
  client.onNotification(method.didUpdateTimeline, (update: TimelineUpdate) =>
    listener.timeline(update),
  );
  client.onRequest<PermissionOutcome, void>(
    method.requestPermission,
    (question: PermissionQuestion, token: CancellationToken) =>
      listener.permission(question, token),
  );
  return client;
}

/** Tells the server that this client speaks the protocol and runs the commands itself. */
const extensionCapability: StaticFeature = {
  fillClientCapabilities(capabilities) {
    const experimental = (capabilities.experimental ?? {}) as Record<string, unknown>;
    experimental.acpLens = {
      version: PROTOCOL_VERSION,
      notifications: true,
      requestPermission: true,
      commands: true,
    };
    capabilities.experimental = experimental;
  },
  initialize() {},
  getState: () => ({ kind: "static" }),
  clear() {},
};

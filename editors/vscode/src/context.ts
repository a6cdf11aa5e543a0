/** The parts of the extension that commands work with. */

import type { Marks } from "./marks.ts";
import type { Store } from "./model/store.ts";
import type { Permissions } from "./permissions.ts";
import type { Server } from "./server.ts";
import type { ChangesView } from "./views/changes.ts";
import type { SessionView } from "./views/session.ts";

export interface Context {
  store: Store;
  server: Server;
  marks: Marks;
  changes: ChangesView;
  sessionView: SessionView;
  permissions: Permissions;
}

// Audit logs and anchors by their URLs.

import { fileAnchor, sinkAnchor, webhookAnchor } from "#audit/chain/anchors.js";
import { fileAuditSink } from "#audit/sinks/file-audit-sink.js";
import { MemoryAuditSink } from "#audit/sinks/memory-audit-sink.js";
import type { AuditAnchor, AuditSink } from "#core/ports/audit-sink.js";
import { databaseOf } from "./database-of.js";
import { SqlAudit } from "./sql/sql-audit.js";
import { STORE_FORMS, storeUrl } from "./sql/store-url.js";

const AUDITS = { call: "openAudit", forms: `${STORE_FORMS}, file:FOLDER or memory:` };

export interface OpenAuditOptions {
  /** Whether opening applies migrations. If not, tables of another version are STORE_VERSION. Default true. */
  readonly autoMigrate?: boolean;
}

/** An audit log at a URL of `openStores`, or `file:FOLDER`. Opens nothing before the first call; `close` closes its database. */
export function openAudit(url: string, { autoMigrate = true }: OpenAuditOptions = {}): AuditSink {
  if (/^file:./.test(url)) return fileAuditSink(url.slice("file:".length));
  const parsed = storeUrl(url, AUDITS);
  if (parsed.kind === "memory") return new MemoryAuditSink();
  const database = databaseOf(parsed, { autoMigrate });
  return new SqlAudit(database, parsed.shown, database.close);
}

/** An anchor at an http:// or https:// URL, at the URL of another database, or in a file. */
export function anchorAt(place: string): AuditAnchor {
  if (/^https?:/.test(place)) return webhookAnchor(place);
  return /^(sqlite|postgres|postgresql):/.test(place)
    ? sinkAnchor(openAudit(place))
    : fileAnchor(place.replace(/^file:/, ""));
}

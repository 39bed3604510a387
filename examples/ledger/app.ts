import { Framework, type openStores } from "framework";
import { type AuditSigningKey, type AuditSink, fileAnchor, signedAudit } from "framework/audit";

import { BookKey, transfer } from "./transfers.js";

type Stores = ReturnType<typeof openStores>;

/** The audit log of the stores, signed, its checkpoints anchored in a file elsewhere. */
export const signedLog = (stores: Stores, key: AuditSigningKey, anchor: string): AuditSink =>
  signedAudit(stores.audit, { key, anchors: [fileAnchor(anchor)] });

/** Its AuditLog steps record in this log, and so do the operators of its Inspector. */
export const bank = (stores: Stores, log: AuditSink, leaseMs = 10_000) =>
  Framework.http({ resources: [BookKey] })
    .stores(stores, { leaseMs })
    .audit(log)
    .post("/transfers", transfer, { summary: "Books a transfer, and records who did it" });

// An audit log in SQLite whose checkpoints are signed, and anchored in a file.

import { openAudit } from "framework";
import { type AuditSigningKey, fileAnchor, signedAudit } from "framework/audit";

/** A log whose events nothing can change unnoticed once their checkpoint is anchored. */
export function openLog(folder: string, key: AuditSigningKey) {
  return signedAudit(openAudit(`sqlite:${folder}/audit.db`), {
    key,
    anchors: [fileAnchor(`${folder}/elsewhere/anchor.jsonl`)],
    everyEvents: 100,
  });
}

export async function cancelOrder(log: ReturnType<typeof openLog>, order: number, by: string): Promise<void> {
  // The same order is cancelled once, however often this is tried.
  await log.append({
    id: `cancel-${order}`,
    actor: by,
    action: "order.cancel",
    target: `order ${order}`,
    intent: "the customer called",
    metadata: { refund: 12.5 },
  });
}

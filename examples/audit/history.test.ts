import assert from "node:assert/strict";
import { test } from "node:test";

import { Axon } from "framework";
import { type AuditEvent, AuditLog, MemoryAuditSink } from "framework/audit";
import { historyOf } from "./history.js";

interface Cancellation {
  readonly order: number;
  readonly reason: string;
}

test("an order's cancellation is in the audit log, with its reason", async () => {
  const log = new MemoryAuditSink();
  const cancel = Axon.start<Cancellation>("cancel")
    .withAuditSink(log)
    .then(
      new AuditLog({
        action: "order.cancel",
        actor: "alice",
        target: ({ order }: Cancellation) => `order ${order}`,
        intent: ({ reason }: Cancellation) => reason,
      }),
    );
  for (let n = 1; n <= 150; n += 1) await cancel.execute({ order: n % 2, reason: `call ${n}` });
  for (let n = 1; n <= 150; n += 1) await cancel.execute({ order: 7, reason: `call ${n}` });

  const history: AuditEvent[] = [];
  for await (const event of historyOf(log, "order 7")) history.push(event);
  assert.equal(history.length, 150);
  assert.deepEqual(
    history.slice(0, 2).map(({ actor, intent }) => [actor, intent]),
    [
      ["alice", "call 150"],
      ["alice", "call 149"],
    ],
  );
});

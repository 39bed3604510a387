import assert from "node:assert/strict";
import { test } from "node:test";

import { Axon, MemoryDeadLetters } from "framework";
import { MemoryAuditSink } from "framework/audit";
import { decided } from "#runtime/definition/surroundings.js";

test("an inner Axon has the audit log and the dead letters of the one around it, unless it has its own", () => {
  const [outer, own] = [new MemoryAuditSink(), new MemoryAuditSink()];
  const letters = new MemoryDeadLetters();
  const plain = Axon.start<number>("plain").thenFn("a", (n) => n);
  const { steps } = decided(
    Axon.start<number>("outer")
      .withAuditSink(outer)
      .withDlqSink(letters)
      .subgraph(plain)
      .subgraph(
        Axon.start<number>("inner")
          .withAuditSink(own)
          .thenFn("b", (n) => n),
      ).definition,
  );
  const inner = steps.map(({ body }) => (body.kind === "subgraph" ? body.axon : assert.fail()));

  assert.deepEqual(
    inner.map(({ audit }) => audit?.sink),
    [outer, own],
  );
  assert.ok(inner.every(({ dlqSink }) => dlqSink !== undefined));
});

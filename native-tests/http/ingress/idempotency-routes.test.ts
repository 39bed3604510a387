import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, bytes, Framework, multipart, stream } from "framework";
import { TestApp } from "framework/http";
import { IdempotencyGuard } from "framework/std";

describe("a route that cannot have idempotency keys", () => {
  const guards = [new IdempotencyGuard()];
  const mounting = (declare: (ingress: ReturnType<typeof Framework.http>) => unknown) => () => {
    const ingress = Framework.http();
    declare(ingress);
    new TestApp(ingress);
  };

  test("is one that takes its body as it arrives", () => {
    const axon = Axon.start<unknown>("upload").thenFn("take", () => "taken");
    for (const input of [stream(), multipart()]) {
      const expected = { code: "ROUTE_INVALID", message: /POST \/up .*without: \["IdempotencyGuard"\]/ };
      assert.throws(
        mounting((ingress) => ingress.post("/up", axon, { input: input as never, guards })),
        expected,
      );
      assert.throws(
        mounting((ingress) =>
          ingress.guard(new IdempotencyGuard()).post("/up", axon, { input: input as never }),
        ),
        expected,
      );
      mounting((ingress) =>
        ingress
          .guard(new IdempotencyGuard())
          .post("/up", axon, { input: input as never, without: ["IdempotencyGuard"] })
          .put("/up", axon, { input: input as never }),
      )();
    }
  });

  test("is one whose guard stands behind its input", () => {
    const inner = Axon.start<string>("inner").then(new IdempotencyGuard());
    const behind = Axon.start<string>("b")
      .thenFn("first", (text) => text)
      .then(new IdempotencyGuard());
    const nested = Axon.start<string>("n").subgraph(inner);
    for (const axon of [behind, nested])
      assert.throws(
        mounting((ingress) => ingress.post("/pay", axon as never, { input: bytes() as never })),
        { code: "ROUTE_INVALID", message: /'IdempotencyGuard' of POST \/pay .*guards: \[\.\.\.\]/ },
      );
    const leading = Axon.start<Uint8Array>("l")
      .then(new IdempotencyGuard())
      .thenFn("pay", () => "paid");
    mounting((ingress) => ingress.post("/pay", leading, { input: bytes() }))();
  });

  test("is one that may take longer than a key is held", () => {
    const axon = Axon.start<Uint8Array>("pay");
    const held = { guards: [new IdempotencyGuard({ leaseMs: 5000 })], input: bytes() };

    assert.throws(
      mounting((ingress) => ingress.post("/pay", axon, { ...held, timeoutMs: 5001 })),
      { code: "CONFIG_INVALID", message: /POST \/pay .*5001 ms.*5000/ },
    );
    mounting((ingress) => ingress.post("/pay", axon, { ...held, timeoutMs: 5000 }))();
  });
});

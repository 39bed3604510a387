import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, ClientIp, header, isFault, RequestMethod } from "framework";
import { IdempotentRequest } from "framework/core";
import { AxonTestKit } from "framework/runtime";
import { type GuardFault, IdempotencyGuard, type IdempotencyOptions, MemoryIdempotency } from "framework/std";

/** The key that the ingress is told of, undefined for none, or the code of the refusal. */
async function keyOf(field: string | undefined, method = "POST", options: IdempotencyOptions = {}) {
  const axon = Axon.start<string>("paid").then(new IdempotencyGuard(options));
  const kit = new AxonTestKit().set(RequestMethod, method).set(ClientIp, "192.0.2.1");
  if (field !== undefined) kit.set(header("idempotency-key"), field);
  const { outcome, bus } = await kit.run(axon, "input");
  if (isFault(outcome)) return (outcome.error as GuardFault<"IDEMPOTENCY_KEY_INVALID">).code;
  assert.equal(outcome, "input");
  const written = bus.find(IdempotentRequest);
  if (written !== undefined) assert.equal(written.client, "192.0.2.1");
  return written?.key;
}

const INVALID = "IDEMPOTENCY_KEY_INVALID";

describe("IdempotencyGuard", () => {
  test("takes a key in quotes or alone as the same", async () => {
    const uuid = "8e03978e-40d5-43dd-bc93-6894a57f9324";

    assert.equal(await keyOf(`"${uuid}"`), uuid);
    assert.equal(await keyOf(uuid), uuid);
    assert.equal(await keyOf('"a\\"b\\\\c"'), 'a"b\\c');
    assert.equal(await keyOf("Zm9v/YmFy+A=="), "Zm9v/YmFy+A==");
    assert.equal(await keyOf('";,"'), ";,");
  });

  test("takes 1 to 255 characters", async () => {
    assert.equal(await keyOf("k"), "k");
    assert.equal(await keyOf("k".repeat(255)), "k".repeat(255));
    assert.equal(await keyOf(`"${"k".repeat(255)}"`), "k".repeat(255));
    assert.equal(await keyOf(`"${'\\"'.repeat(255)}"`), '"'.repeat(255));
    for (const field of ['""', "k".repeat(256), `"${"k".repeat(256)}"`])
      assert.equal(await keyOf(field), INVALID, field);
  });

  test("takes nothing else for a key", async () => {
    for (const field of [
      '"',
      '"a',
      'a"',
      '"a"b',
      '"a", "b"',
      "a,b",
      "a;b",
      '"a";p=1',
      "a b",
      '"a b"',
      '"a\\b"',
      '"a\\"',
      "a\\b",
      "\u00e9",
      '"\u00e9"',
      "a\t",
    ])
      assert.equal(await keyOf(field), INVALID, field);
  });

  test("looks at keys of POST and PATCH, or of the methods that it is given", async () => {
    for (const method of ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
      assert.equal(await keyOf("a b", method, { required: true }), undefined, method);
    assert.equal(await keyOf("k", "PATCH"), "k");
    assert.equal(await keyOf("k", "POST", { methods: ["PUT"] }), undefined);
    assert.equal(await keyOf("k", "PUT", { methods: ["PUT"] }), "k");
  });

  test("lets a request without a key pass, unless one is required", async () => {
    assert.equal(await keyOf(undefined), undefined);
    assert.equal(await keyOf(undefined, "POST", { required: true }), INVALID);
  });

  test("declares what the ingress is to do, with its defaults", () => {
    const { idempotency, perProcess } = new IdempotencyGuard();
    const store = { claim: () => ({ kind: "full" }) as const, keep: () => true, release: () => true };
    const guard = new IdempotencyGuard({ store, leaseMs: 5000, maxBodyBytes: 0 });

    assert.ok(idempotency.store instanceof MemoryIdempotency);
    assert.match(String(perProcess), /memory/);
    assert.deepEqual(
      { ...idempotency, store: null },
      {
        store: null,
        methods: new Set(["POST", "PATCH"]),
        ttlMs: 86_400_000,
        leaseMs: undefined,
        maxBodyBytes: 65_536,
        storeTimeoutMs: 2000,
        scope: undefined,
      },
    );
    assert.equal(guard.idempotency.store, store);
    assert.equal(guard.idempotency.leaseMs, 5000);
    assert.equal(guard.perProcess, undefined);
  });

  test("is drawn with its methods and its time", () => {
    const node = Axon.start<string>("p")
      .then(new IdempotencyGuard({ required: true }))
      .schematic().nodes[1];

    assert.equal(node?.kind, "Guard");
    assert.equal(node?.description, "Keys of POST, PATCH, required; answers kept for 86400000 ms");
  });

  test("is not made of options that it cannot work with", () => {
    for (const [options, named] of [
      [{ methods: [] }, /methods/],
      [{ methods: ["GET" as never] }, /methods/],
      [{ store: { claim: () => undefined, keep: () => true } as never }, /store.*'release'/],
      [{ lease: 5 } as never, /'lease' .*; there are .*leaseMs/],
      [{ ttlMs: 0 }, /ttlMs/],
      [{ leaseMs: 0 }, /leaseMs/],
      [{ leaseMs: 1.5 }, /leaseMs/],
      [{ maxBodyBytes: -1 }, /maxBodyBytes/],
      [{ storeTimeoutMs: 0 }, /storeTimeoutMs/],
      [{ storeTimeoutMs: 2 ** 31 }, /storeTimeoutMs/],
      [{ cookie: "" }, /cookie/],
      [{ cookie: "a session" }, /cookie/],
      [{ scope: "ann" as never }, /scope/],
      [{ scope: () => "ann", cookie: "sid" }, /one of them/],
      [{ reads: [RequestMethod] as never }, /keys of scope/],
    ] as const)
      assert.throws(() => new IdempotencyGuard(options), { code: "CONFIG_INVALID", message: named });
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon } from "framework";
import { bench } from "framework/bench";
import { bytesOf } from "#bench/bench-request.js";
import { exceededIn } from "#bench/budget.js";
import { declared, faultOf } from "#bench/declared.js";
import { reportOf } from "#bench/report.js";

const half = Axon.start<number>("half").thenFn("half", (n) => n / 2);
const call = bench as unknown as (...args: readonly unknown[]) => void;
const route = bench.route as (...args: readonly unknown[]) => void;

describe("a benchmark", () => {
  test("runs an Axon with what its execute takes, or a function, when it is asked to", () => {
    let calls = 0;
    bench("of an Axon", half.budget({ bytes: 10 }), 42);
    bench("of a function", () => {
      calls += 1;
      return calls;
    });
    const [axon, fn] = declared().slice(-2);

    assert.equal(calls, 0);
    assert.ok(axon?.kind === "axon" && fn?.kind === "function");
    assert.deepEqual([axon.run(), axon.budget, fn.run(), fn.budget], [21, { bytes: 10 }, 1, undefined]);
  });

  test("is refused where it could not be measured, and says how it should be", () => {
    const refused = (declare: () => void, message: RegExp) =>
      assert.throws(declare, { code: "CONFIG_INVALID", message });

    bench("twice", () => 1);
    refused(() => call("twice", () => 2), /^bench\('twice'\): .*: give each/);
    refused(() => call(() => 1), /^bench\(\): its first argument is the name/);
    refused(() => call("price", 12), /^bench\('price'\): give an Axon .*or a function/);
    refused(() => call("price", (n: number) => n, 12), /^bench\('price'\): a function takes nothing/);
    refused(() => route("/orders"), /^bench\.route\('\/orders'\): give method and path/);
    refused(() => route("GET /a b"), /give method and path/);
    refused(() => route("GET /x", { json: 1 }), /'json' .*; there are body, headers/);
    refused(() => route("GET /x", { headers: { "a\r\nb": "1" } }), /'a\r\nb' is none/);
    refused(() => route("GET /x", { headers: { a: "1\r\n\r\nGET /" } }), /'a' is none/);
    refused(() => route("GET /x", { headers: { Connection: "close" } }), /is the load generator's own/);
  });

  test("of a route sends an object as JSON and a text as it is", () => {
    const of = (request: Parameters<typeof bench.route>[1] = {}) =>
      String(bytesOf({ method: "POST", target: "/orders?now", request }, "127.0.0.1:1"));

    assert.equal(
      of({ body: { name: "Zoë" }, headers: { "X-Card": "7" } }),
      'POST /orders?now HTTP/1.1\r\nhost: 127.0.0.1:1\r\nX-Card: 7\r\ncontent-type: application/json\r\ncontent-length: 15\r\n\r\n{"name":"Zoë"}',
    );
    assert.equal(
      of({ body: "a=1", headers: { "Content-Type": "text/plain", Host: "shop.example" } }),
      "POST /orders?now HTTP/1.1\r\nContent-Type: text/plain\r\nHost: shop.example\r\ncontent-length: 3\r\n\r\na=1",
    );
    assert.equal(of(), "POST /orders?now HTTP/1.1\r\nhost: 127.0.0.1:1\r\n\r\n");
  });

  test("is not measured where a run ends with a fault", async () => {
    assert.equal(faultOf(await half.execute(2)), undefined);
    const broken = Axon.start<number>("broken").thenFn("broken", () => {
      throw new Error("no stock");
    });
    assert.match(
      faultOf(await broken.execute(2)) ?? "",
      /^it ends with a fault: [\s\S]*TRANSITION_PANIC[\s\S]*no stock/,
    );
  });

  test("exceeds its budget above it, by the bytes or the p99 that were measured", () => {
    const lengths = { rounds: 1, seconds: 1, connections: 1 };
    const listed = { name: "half", kind: "axon", budget: { p99Ms: 2, bytes: 100 } } as const;
    const found = (bytes: number, ns: number) => {
      const sampled = { bytes_a_run: { value: bytes }, p99_ns: { value: ns } };
      return exceededIn(reportOf([{ ...listed, arms: [[sampled], [sampled]] }], lengths));
    };

    assert.deepEqual(found(100, 2e6), []);
    assert.deepEqual(found(101, 2.5e6), [
      { name: "half", figure: "p99_ms", value: 2.5, allowed: 2 },
      { name: "half", figure: "bytes", value: 101, allowed: 100 },
    ]);
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { AccessLogEntry, Axon, RequestMethod, RequestPath } from "framework";
import type { LoggedValue } from "framework/core";
import { AxonTestKit } from "framework/runtime";
import { AccessLogGuard } from "framework/std";
import { lineOf, textOf, visitor } from "../../support/access-line.js";
import { answerRecord } from "../../support/answer-record.js";
import { hostileText } from "../../support/hostile-text.js";
import { keptLogger } from "../../support/logged-lines.js";

/** What a program without types passes. */
const untyped = (value: unknown) => value as never;

/** An entry as a step behind the guard would have filled it. */
async function entryOf(guard: AccessLogGuard, path: string, fill: (entry: AccessLogEntry) => void) {
  const axon = Axon.start<string>("logged")
    .then(guard)
    .thenFn(
      "fill",
      (input, bus) => {
        fill(bus.get(AccessLogEntry));
        return input;
      },
      { reads: [AccessLogEntry] },
    );
  const kit = new AxonTestKit().set(RequestMethod, "PUT").set(RequestPath, path);
  const { outcome, bus } = await kit.run(axon, "input");
  assert.equal(outcome, "input");
  return bus.find(AccessLogEntry) as AccessLogEntry;
}

describe("AccessLogEntry", () => {
  const membersOf = async (...added: Record<string, LoggedValue>[]) => {
    const guard = new AccessLogGuard();
    const entry = await entryOf(guard, "/", (made) => {
      for (const fields of added) made.add(fields);
    });
    const { module, method, path, route, status, duration_ms, bytes, msg, ...rest } = lineOf(guard, {}, [
      [AccessLogEntry, entry],
    ]);
    return rest;
  };

  test("has the method and the path as the line shows it", async () => {
    const guard = new AccessLogGuard().redactPaths(["/users/*"]);
    const entry = await entryOf(guard, "/users/ada", () => {});

    assert.deepEqual([entry.method, entry.path], ["PUT", "/users/[redacted]"]);
    assert.equal((await entryOf(guard, "/orders", () => {})).path, "/orders");
    const long = await entryOf(guard, `${"/.".repeat(600)}/users/ada`, () => {});
    assert.equal(long.path, `${"/.".repeat(512)}... 186 more`);
  });

  test("adds what steps give it to the line", async () => {
    const fields = { order_id: "a\n", cents: 500, paid: true, coupon: null };

    assert.deepEqual(await membersOf(fields, { cents: 700 }), { ...fields, cents: 700 });
    assert.deepEqual(await membersOf(), {});
  });

  test("overrides nothing that the line has", async () => {
    const guard = new AccessLogGuard({ headers: ["user-agent"], query: true });
    const answer = { query: "a=1", isAborted: true };
    const names = Object.keys(JSON.parse(textOf(guard, answer, visitor)));

    assert.equal(names.length, 18);
    for (const name of names) {
      const entry = await entryOf(guard, "/", (made) => made.add({ [name]: "forged" }));
      const text = textOf(guard, answer, [...visitor, [AccessLogEntry, entry]]);
      assert.equal(text.split(`"${name}":`).length, 2, name);
      assert.equal(JSON.parse(text)[`${name}_`], "forged");
    }
  });

  test("is bounded", async () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`n${i}`, i]));
    const members = await membersOf(many, { n0: "replaced", later: 1 });

    assert.equal(Object.keys(members).length, 16);
    assert.deepEqual([members["n0"], members["n15"], members["later"]], ["replaced", 15, undefined]);
    const [[name = "", text] = []] = Object.entries(await membersOf({ ["n".repeat(70)]: "t".repeat(300) }));
    assert.equal(name, `${"n".repeat(64)}... 6 more`);
    assert.equal(text, `${"t".repeat(256)}... 44 more`);
  });

  test("takes from untyped callers what it can, and throws for nothing", async () => {
    const hostile = {
      get then() {
        throw new Error("read");
      },
      toString: null,
    };

    assert.deepEqual(
      await membersOf(untyped({ o: hostile, f: () => 1, b: 1n, u: undefined, n: Number.NaN })),
      { o: "[object]", f: "[function]", b: "[bigint]", u: "[undefined]", n: "NaN" },
    );
    assert.deepEqual(await membersOf(untyped(null), untyped(undefined), untyped(1)), {});
  });

  test("lets nothing that is added end the line", async () => {
    const { log, text } = keptLogger();
    const guard = new AccessLogGuard();
    await fc.assert(
      fc.asyncProperty(hostileText(), hostileText(), async (name, value) => {
        const entry = await entryOf(guard, "/", (made) => made.add({ [name]: value }));
        const before = text().length;
        guard.observer.answered(answerRecord({}, [[AccessLogEntry, entry]]), log.access);

        assert.doesNotMatch(text().slice(before, -1), /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
        assert.equal(JSON.parse(text().slice(before)).status, 200);
      }),
      { numRuns: 300 },
    );
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  BearerAuth,
  Bus,
  busKey,
  Framework,
  fault,
  json,
  MemoryDeadLetters,
  type Report,
  Type,
} from "framework";
import type { DeadLetterStore } from "framework/core";
import { TestApp } from "framework/http";
import { inspectorOf } from "framework/inspector";

import { DeadLetters as DeadLettersShape, Redriven } from "#inspector/api/dead-letters.js";
import {
  DeadLetters,
  type DeadLettersOptions,
  deadLetterStoresOf,
} from "#inspector/dead-letters/dead-letters.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { compileSchema } from "#schema/compile/validator.js";
import { until } from "../../support/patience.js";
import { capture, done, refused } from "../../support/steered-circuit.js";

const OPERATOR = "operator-token-0123456789";
const Rate = busKey<number>()("Rate");

/** A shop whose bank is down until told otherwise. */
function shop(options: Partial<DeadLettersOptions> = {}) {
  const bank = { isUp: false };
  const store = new MemoryDeadLetters();
  const axon = Axon.start<number>("shop")
    .thenFn("price", (n) => n + 1)
    .thenFn("pay", (n, bus) => (bank.isUp ? n * bus.get(Rate) : fault("BANK_DOWN")), { reads: [Rate] })
    .withDlqSink(store);
  const reports: Report[] = [];
  const letters = new DeadLetters({
    stores: [store],
    axons: [axon.definition],
    bus: () => Bus.of([[Rate, 2]]),
    capture,
    reporter: (report) => reports.push(report),
    ...options,
  });
  const fail = (n: number) => axon.execute(n, Bus.of([[Rate, 2]]));
  const only = async (): Promise<string> => done(await letters.list({}))[0]?.id ?? "";
  return { bank, store, letters, fail, only, reports };
}

const valid = (schema: typeof DeadLettersShape | typeof Redriven, kind: string, data: unknown): void => {
  const { check, errors } = compileSchema(schema, { owner: "t", origin: "program", generate: false });
  const answer = { api_version: "1.0", kind, data };
  assert.ok(check(answer), JSON.stringify(errors(answer)));
};

describe("dead letters in the Inspector", () => {
  test("are listed with what failed, where, and with what input", async () => {
    const { letters, fail } = shop();
    await fail(1);
    const rows = done(await letters.list({}));

    valid(DeadLettersShape, "inspector.dead_letters.v1", { letters: rows, total: 1, workers_silent: 0 });
    const [{ id, failed_at, events, error, ...row } = assert.fail()] = rows;
    assert.deepEqual(row, {
      kind: "step",
      circuit: "shop",
      version: "1.0.0",
      node: "shop/pay",
      label: "pay",
      attempts: 1,
      trace_id: null,
      run_id: null,
      input: { kind: "full", value: 2, is_cut: false },
      undone: [],
    });
    assert.match(error.title, /A fault says no status: BANK_DOWN/);
    assert.ok(id !== "" && failed_at > 0 && events.length > 3);
  });

  test("say of which trace the run was that failed last, where a store has what is one", async () => {
    const trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
    for (const [trace, shown] of [
      [{ trace_id, span_id: "00f067aa0ba902b7" }, trace_id],
      [{ trace_id: "<b>", span_id: "00f067aa0ba902b7" }, null],
      ["text", null],
      [null, null],
    ] as const) {
      const { letters, fail, store } = shop();
      await fail(1);
      const [letter = assert.fail()] = store.list();
      store.send({ ...letter, trace: trace as never });

      assert.equal(done(await letters.list({}))[0]?.trace_id, shown);
    }
  });

  test("are those of a circuit, of a node, and no more than asked for, the oldest first", async () => {
    const { letters, fail } = shop();
    for (const n of [1, 2, 3]) await fail(n);
    const inputs = async (query: Parameters<typeof letters.list>[0]) =>
      done(await letters.list(query)).map(({ input }) => input.kind === "full" && input.value);

    assert.deepEqual(await inputs({}), [2, 3, 4]);
    assert.deepEqual(await inputs({ limit: 2 }), [2, 3]);
    assert.deepEqual(await inputs({ circuit: "shop", node: "shop/pay" }), [2, 3, 4]);
    assert.deepEqual(await inputs({ node: "shop/price" }), []);
    assert.deepEqual(await inputs({ circuit: "other" }), []);
  });

  test("are re-driven from the step that failed, and gone where that succeeds", async () => {
    const { letters, fail, only, bank } = shop();
    await fail(1);
    const id = await only();
    const failed = done(await letters.redrive(id));

    valid(Redriven, "inspector.redriven.v1", failed);
    assert.equal(failed.result, "failed");
    assert.match(JSON.stringify(failed.outcome), /BANK_DOWN/);
    assert.equal(done(await letters.list({}))[0]?.attempts, 2);
    bank.isUp = true;
    assert.deepEqual(done(await letters.redrive(id)), {
      ...{ id, circuit: "shop", node: "shop/pay", result: "done", outcome: 4 },
      trace_id: null,
      run_id: null,
    });
    assert.deepEqual(await letters.list({}), []);
    assert.equal(refused(await letters.redrive(id)).code, "DEAD_LETTER_UNKNOWN");
  });

  test("are 409 where the re-drive would leave undone what the run undid, unless told to skip it", async () => {
    let isUp = false;
    const booking = Axon.start<number>("book")
      .thenCompensated({ name: "cabin", run: (n: number) => n }, () => {})
      .asTransition();
    const axon = Axon.start<number>("trip")
      .parallel([booking], "AllMustSucceed", ([n]) => n, { name: "both" })
      .thenFn("pay", (n) => (isUp ? n : fault("BANK_DOWN")))
      .withDlqSink(new MemoryDeadLetters());
    const ingress = Framework.http({ reporter: () => {} })
      .post("/trips", axon, { input: json(Type.Number()) })
      .inspector({ enabled: true, auth: BearerAuth.tokens({ operator: OPERATOR }) });
    await using app = new TestApp(ingress);
    await app.start();
    await using seen = inspectorOf(ingress).app;
    const headers = { host: "localhost", authorization: `Bearer ${OPERATOR}` };
    await app.post("/trips", { json: 1 });
    const listed = (await seen.get("/api/v1/dlq", { headers })).json as {
      data: { letters: [{ id: string }] };
    };
    const at = `/api/v1/dlq/${listed.data.letters[0].id}/redrive`;
    isUp = true;
    const { status, json: problem } = await seen.post(at, { headers });

    assert.deepEqual([status, (problem as { code: string }).code], [409, "REDRIVE_WOULD_SKIP"]);
    assert.match((problem as { detail: string }).detail, /undid .*cabin\. .*skip_undone=true .*'trip\/pay'/);
    const skipped = await seen.post(`${at}?skip_undone=true`, { headers });
    assert.equal((skipped.json as { data: { result: string } }).data.result, "done");
  });

  test("are re-driven once at a time", async () => {
    const { letters, fail, only } = shop();
    await fail(1);
    const id = await only();
    const results = await Promise.all([letters.redrive(id), letters.redrive(id)]);

    assert.deepEqual(results.map((result) => done(result).result).sort(), ["busy", "failed"]);
  });

  test("are running for who has waited long enough, and are gone once they are done", async () => {
    const clock = new ManualClock();
    const store = new MemoryDeadLetters();
    let letGo = (): void => assert.fail("nobody waits");
    const axon = Axon.start<number>("slow")
      .thenFn("pay", async (n) => {
        if (n === 1 && (await store.list()).length === 0) return fault("BANK_DOWN");
        await new Promise<void>((resolve) => (letGo = resolve));
        return n;
      })
      .withDlqSink(store);
    const { letters } = shop({ stores: [store], axons: [axon.definition], clock });
    await axon.execute(1);
    const [{ id } = assert.fail()] = done(await letters.list({}));
    const first = letters.redrive(id);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    await clock.advance(5000);

    const running = done(await first);
    valid(Redriven, "inspector.redriven.v1", running);
    assert.deepEqual(running, {
      ...{ id, circuit: "slow", node: "slow/pay", result: "running", outcome: null },
      ...{ trace_id: null, run_id: null },
    });
    assert.equal(done(await letters.redrive(id)).result, "busy");
    letGo();
    await until("the letter is gone", async () => done(await letters.list({})).length === 0);
  });

  test("stay where this server cannot do their work", async () => {
    for (const [options, why] of [
      [{ axons: [] }, /No circuit 'shop' is mounted here/],
      [{ axons: [Axon.start("shop").thenFn("other", () => 1).definition] }, /'shop\/pay'/],
      [{ bus: () => Bus.of([]) }, /Rate/],
    ] as const) {
      const { letters, fail, only } = shop(options);
      await fail(1);
      const id = await only();
      const { code, particulars } = refused(await letters.redrive(id));

      assert.equal(code, "REDRIVE_IMPOSSIBLE");
      assert.match(particulars.detail ?? "", why);
      assert.equal(await only(), id);
    }
  });

  test("are discarded, once", async () => {
    const { letters, fail, only } = shop();
    await fail(1);
    const id = await only();

    assert.deepEqual(await letters.discard(id), { circuit: "shop", node: "shop/pay", run_id: null });
    assert.equal(refused(await letters.discard(id)).code, "DEAD_LETTER_UNKNOWN");
    assert.deepEqual(await letters.list({}), []);
  });

  test("are counted whatever the limit, by circuit and node; not where a store does not count", async () => {
    const { letters, store, fail } = shop();
    for (let n = 0; n < 3; n += 1) await fail(n);

    assert.equal(await letters.count({ limit: 1 }), 3);
    assert.equal(await letters.count({ circuit: "shop", node: "shop/pay" }), 3);
    assert.equal(await letters.count({ circuit: "another" }), 0);
    const { count: _, ...silent } = store;
    const both = shop({ stores: [store, silent as DeadLetterStore] });
    assert.equal(await both.letters.count({}), null);
  });

  test("are not counted by a store that fails, or answers no number", async () => {
    for (const count of [() => assert.fail("down"), async () => "1", async () => -1, async () => 0.5]) {
      const store = Object.assign(new MemoryDeadLetters(), { count: count as never });
      const { letters, reports } = shop({ stores: [store] });

      assert.equal(await letters.count({}), null);
      assert.equal(done(await letters.list({})).length, 0);
      assert.equal(reports.length, count.length === 0 && count.constructor === Function ? 1 : 0);
    }
  });

  test("that cannot be looked up are not taken for none", async () => {
    const down = () => Promise.reject(new Error("no connection"));
    const broken: DeadLetterStore = { send: down, list: down, get: down, remove: down };
    const { letters, reports } = shop({ stores: [broken] });
    const codes = [await letters.list({}), await letters.redrive("x"), await letters.discard("x")].map(
      (answer) => refused(answer).code,
    );

    assert.deepEqual(codes, Array(3).fill("DEAD_LETTERS_UNAVAILABLE"));
    assert.deepEqual(
      reports.map(({ code }) => code),
      Array(3).fill("DEAD_LETTERS_UNREAD"),
    );
  });

  test("show no value where none is captured", async () => {
    const { letters, fail, only, bank } = shop({ capture: () => ({ kind: "off" }) });
    await fail(41);
    assert.deepEqual(done(await letters.list({}))[0]?.input, { kind: "off" });
    bank.isUp = true;

    assert.equal(done(await letters.redrive(await only())).outcome, null);
  });
});

describe("the stores of dead letters", () => {
  test("are the sinks that can be read", () => {
    const store = new MemoryDeadLetters();

    assert.deepEqual(deadLetterStoresOf([{ send: () => {} }, store], true), [store]);
  });
});

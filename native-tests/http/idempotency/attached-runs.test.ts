import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, bytes, Framework, fault, header, MemoryRuns, ProblemDetail, RunId, respond } from "framework";
import type { IdempotencyStore } from "framework/core";
import { TestApp } from "framework/http";
import { IdempotencyGuard, MemoryIdempotency } from "framework/std";
import { KEY, storeWith, turns } from "../../support/idempotent-route.js";
import { taken } from "../../support/kept-runs.js";

/** Processes of one service: they share the runs, and each has what `charge` does in it. */
function service(idempotency: () => IdempotencyStore = () => new MemoryIdempotency()) {
  const runs = new MemoryRuns();
  const charged = { times: 0 };
  const start = (
    charge: () => unknown,
    timeoutMs = 5000,
    { path, ...route }: { path?: string; detached?: boolean; onFault?: never; maxBodyBytes?: number } = {},
  ) => {
    const { maxBodyBytes = 1000, ...routed } = route;
    const axon = Axon.start<Uint8Array>("pay")
      .withPersistenceStore(runs)
      .thenFn("charge", () => charge())
      .thenFn("count", (answer) => {
        charged.times += 1;
        return answer;
      });
    const ingress = Framework.http({ reporter: () => {} })
      .post("/pay", axon as never, {
        ...{ input: bytes() as never, timeoutMs, ...routed },
        guards: [new IdempotencyGuard({ store: idempotency(), maxBodyBytes })],
      })
      .post("/keyless", axon as never, { input: bytes() as never });
    const app = new TestApp(path === undefined ? ingress : ingress.runStatus(path as "/runs/:id"));
    const pay = (body = "1") => app.post("/pay", { body, headers: KEY });
    const payWithoutKey = () => app.post("/keyless", { body: "1" });
    /** A request whose process ends: the client goes away, and the run hangs. */
    const payAndEnd = async (): Promise<void> => {
      const leaving = new AbortController();
      const lost = app.post("/pay", { body: "1", headers: KEY, signal: leaving.signal });
      await new Promise(setImmediate);
      leaving.abort();
      await lost.catch(() => {});
    };
    return { pay, payAndEnd, payWithoutKey, axon };
  };
  return { runs, charged, start };
}

const never = (): Promise<never> => new Promise(() => {});

describe("a request with the key of a kept run", () => {
  test("does not join the run of another key by naming its id", async () => {
    const { runs, charged, start } = service();
    await start(never).payAndEnd();
    const [{ id } = { id: "" }] = runs.unfinished();
    assert.match(id, /^key-/);
    const axon = Axon.start<Uint8Array>("pay")
      .withPersistenceStore(runs)
      .thenFn("charge", () => 1);
    const ingress = Framework.http({ reporter: () => {} })
      .provide(RunId, (bus) => bus.get(header("x-run")) ?? "", { reads: [header("x-run")] })
      .post("/pay", axon as never, { input: bytes() as never, guards: [new IdempotencyGuard()] })
      .post("/keyless", axon as never, { input: bytes() as never });
    const app = new TestApp(ingress);
    const asked = [
      app.post("/pay", { body: "1", headers: { "idempotency-key": '"other"', "x-run": id } }),
      app.post("/keyless", { body: "1", headers: { "x-run": id } }),
    ];

    for (const { status, problem } of await Promise.all(asked))
      assert.deepEqual([status, problem.code], [400, "RUN_ID_INVALID"]);
    assert.equal(charged.times, 0);
  });

  test("waits for the run that another one began, and gets its answer", async () => {
    const { charged, start } = service();
    let release = (): void => {};
    const { pay } = start(() => new Promise((resolve) => (release = () => resolve({ receipt: 1 }))));
    const first = pay();
    await new Promise(setImmediate);
    const second = pay();
    await new Promise(setImmediate);
    release();
    const answers = await Promise.all([first, second]);

    assert.deepEqual(
      answers.map(({ status, text }) => [status, text]),
      [
        [200, '{"receipt":1}'],
        [200, '{"receipt":1}'],
      ],
    );
    assert.equal(charged.times, 1);
  });

  test("gets the answer of the resumed run after its process has ended, and again from the key", async () => {
    const { runs, charged, start } = service();
    await start(never).payAndEnd();
    const { pay, axon } = start(() => ({ receipt: 2 }));
    const retried = pay();
    const [run] = runs.unfinished();
    await taken(axon, run?.id as string);
    const answer = await retried;
    const again = await pay();

    assert.deepEqual([answer.status, answer.text], [200, '{"receipt":2}']);
    assert.deepEqual([again.text, again.headers["idempotent-replayed"]], ['{"receipt":2}', "true"]);
    assert.equal(charged.times, 1);
  });

  test("gets the problem that the resumed run ended with", async () => {
    const { runs, start } = service();
    await start(never).payAndEnd();
    const refused = new ProblemDetail({ status: 409, code: "DECLINED", title: "Declined" });
    const { pay, axon } = start(() => fault(refused));
    const retried = pay();
    const [run] = runs.unfinished();
    await taken(axon, run?.id as string);
    const { status, problem } = await retried;

    assert.deepEqual([status, problem.code], [409, "DECLINED"]);
  });

  test("gets the status, headers and body of a reply", async () => {
    const { runs, start } = service();
    await start(never).payAndEnd();
    const reply = respond({ status: 201, headers: { location: "/receipts/1" }, body: { receipt: 1 } });
    const { pay, axon } = start(() => reply);
    const retried = pay();
    const [run] = runs.unfinished();
    await taken(axon, run?.id as string);
    const answer = await retried;

    assert.deepEqual(
      [answer.status, answer.headers["location"], answer.text],
      [201, "/receipts/1", '{"receipt":1}'],
    );
  });

  test("is served anew after a failure that may pass, as without kept runs", async () => {
    const { start } = service();
    let times = 0;
    const down = new ProblemDetail({ status: 503, code: "DOWN", title: "Down" });
    const { pay } = start(() => {
      times += 1;
      return times === 1 ? fault(down) : { receipt: times };
    });
    const statuses = [await pay(), await pay(), await pay()].map(({ status }) => status);

    assert.deepEqual(statuses, [503, 200, 200]);
    assert.equal(times, 2);
  });

  test("is told to ask again where the run takes longer than its route may, and where its status is", async () => {
    const { start } = service();
    await start(never).payAndEnd();
    const blind = await start(never, 50).pay();
    const told = await start(never, 50, { path: "/runs/:id" }).pay();

    assert.deepEqual([blind.status, blind.headers["retry-after"]], [503, "1"]);
    assert.deepEqual([told.status, told.headers["retry-after"]], [202, "1"]);
    const { state, run_id: id } = told.json as { state: string; run_id: string };
    assert.deepEqual([state, told.headers["location"]], ["running", `/runs/${id}`]);
  });

  test("is told of no run where the process that claimed the key ended before it began one", async () => {
    const shared = new MemoryIdempotency();
    const { runs, start } = service(() => shared);
    const { append } = runs;
    let lose = (_: Error): void => {};
    Object.assign(runs, { append: () => new Promise((_, reject) => (lose = reject)) });
    const { pay, payAndEnd } = start(() => ({}), 5000, { path: "/runs/:id", detached: true });
    await payAndEnd();
    Object.assign(runs, { append });
    const { status, headers } = await pay();
    lose(new Error("gone"));

    assert.deepEqual([status, headers["retry-after"], headers["location"]], [503, "1", undefined]);
  });

  test("gets the answer of its run as long as that is kept, and 422 with another body", async () => {
    const { charged, start } = service();
    await start(() => ({ receipt: 1 })).pay();
    // Its own store: the row of the key is gone.
    const { pay } = start(() => ({ receipt: 2 }));
    const other = await pay("2");
    const same = await pay();

    assert.deepEqual([other.status, other.problem.code], [422, "IDEMPOTENCY_MISMATCH"]);
    assert.deepEqual([same.status, same.text], [200, '{"receipt":1}']);
    assert.equal(charged.times, 1);
  });

  test("gets an answer that is too large for the row of the key from the log", async () => {
    const shared = new MemoryIdempotency();
    const { start } = service(() => shared);
    const { pay } = start(() => ({ receipt: "x".repeat(100) }), 5000, { maxBodyBytes: 10 });
    const [first, second] = [await pay(), await pay()];

    assert.deepEqual([second.status, second.text], [200, first.text]);
  });

  test("is served anew after a fault that the route answers as one that may pass", async () => {
    const { start } = service();
    let times = 0;
    const onFault = () => new ProblemDetail({ status: 503, code: "BUSY", title: "Busy" });
    const { pay } = start(
      () => {
        times += 1;
        return times === 1 ? fault({ kind: "busy" }) : { receipt: times };
      },
      5000,
      { onFault: onFault as never },
    );

    assert.deepEqual([(await pay()).status, (await pay()).text], [503, '{"receipt":2}']);
  });

  for (const [name, path, keyed, keyless] of [
    ["where its status is", "/runs/:id", 202, 202],
    ["to ask again, or that it is another's", undefined, 503, 409],
  ] as const)
    test(`whose run another process goes on with is told ${name}`, async () => {
      const { runs, start } = service();
      for (const [of, status] of [
        ["pay", keyed],
        ["payWithoutKey", keyless],
      ] as const) {
        let release = (): void => {};
        const released = new Promise<object>((resolve) => (release = () => resolve({})));
        const first = start(() => released, 300, { ...(path !== undefined && { path }) });
        const answering = first[of]();
        await new Promise(setImmediate);
        const [run] = runs.unfinished();
        void taken(start(never).axon, run?.id as string);
        await new Promise(setImmediate);
        release();
        const answer = await answering;

        assert.equal(answer.status, status);
        assert.equal(answer.headers["location"], path && `/runs/${encodeURIComponent(run?.id as string)}`);
        runs.remove(run?.id as string);
      }
    });

  test("whose run is cancelled gets RUN_CANCELLED, and again with its key", async () => {
    const { runs, start } = service();
    let release = (): void => {};
    const released = new Promise<object>((resolve) => (release = () => resolve({})));
    const { pay, axon } = start(() => released);
    const answering = pay();
    await new Promise(setImmediate);
    const [run] = runs.unfinished();
    const cancelled = axon.cancel(run?.id as string, "a mistake");
    // Its request is on record by then.
    await turns();
    release();
    await cancelled;

    assert.equal((await answering).problem.code, "RUN_CANCELLED");
    assert.equal((await pay()).problem.code, "RUN_CANCELLED");
  });

  test("gets its answer while another body holds the key to read the log", async () => {
    const held = storeWith({ claim: () => ({ kind: "running", fingerprint: "of another body" }) });
    const stores = [new MemoryIdempotency(), held];
    const { charged, start } = service(() => stores.shift() as IdempotencyStore);
    await start(() => ({ receipt: 1 })).pay();
    const { pay } = start(() => ({ receipt: 2 }));

    const answer = await pay();
    assert.deepEqual([answer.status, answer.text], [200, '{"receipt":1}']);
    assert.equal((await pay("2")).status, 422);
    assert.equal(charged.times, 1);
  });

  test("is refused where it is another request", async () => {
    const shared = new MemoryIdempotency();
    const { start } = service(() => shared);
    const { pay, payAndEnd } = start(never);
    await payAndEnd();

    assert.equal((await pay("2")).problem.code, "IDEMPOTENCY_MISMATCH");
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, bytes, Framework, fault, MemoryRuns, ProblemDetail, respond } from "framework";
import { TestApp } from "framework/http";
import { IdempotencyGuard, MemoryIdempotency } from "framework/std";
import { KEY } from "../../support/idempotent-route.js";

/** Processes of one service: they share the runs, and each has what `charge` does in it. */
function service(idempotency = () => new MemoryIdempotency()) {
  const runs = new MemoryRuns();
  const charged = { times: 0 };
  const start = (charge: () => unknown, timeoutMs = 5000) => {
    const axon = Axon.start<Uint8Array>("pay")
      .withPersistenceStore(runs)
      .thenFn("charge", () => charge())
      .thenFn("count", (answer) => {
        charged.times += 1;
        return answer;
      });
    const ingress = Framework.http({ reporter: () => {} }).post("/pay", axon as never, {
      ...{ input: bytes() as never, timeoutMs },
      guards: [new IdempotencyGuard({ store: idempotency() })],
    });
    const app = new TestApp(ingress);
    const pay = (body = "1") => app.post("/pay", { body, headers: KEY });
    /** A request whose process ends: the client goes away, and the run hangs. */
    const payAndEnd = async (): Promise<void> => {
      const leaving = new AbortController();
      const lost = app.post("/pay", { body: "1", headers: KEY, signal: leaving.signal });
      await new Promise(setImmediate);
      leaving.abort();
      await lost.catch(() => {});
    };
    return { pay, payAndEnd, axon };
  };
  return { runs, charged, start };
}

const never = (): Promise<never> => new Promise(() => {});

describe("a request with the key of a kept run", () => {
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
    await axon.resume(run?.id as string);
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
    await axon.resume(run?.id as string);
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
    await axon.resume(run?.id as string);
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

  test("is told to ask again where the run takes longer than its route may", async () => {
    const { start } = service();
    await start(never).payAndEnd();
    const { pay } = start(never, 50);
    const answer = await pay();

    assert.deepEqual([answer.status, answer.headers["retry-after"]], [202, "1"]);
    assert.equal((answer.json as { state: string }).state, "running");
  });

  test("is refused where it is another request", async () => {
    const shared = new MemoryIdempotency();
    const { start } = service(() => shared);
    const { pay, payAndEnd } = start(never);
    await payAndEnd();

    assert.equal((await pay("2")).problem.code, "IDEMPOTENCY_MISMATCH");
  });
});

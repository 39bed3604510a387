// A fault keeps all that it has on its way through each wrapper of the step that returned it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  Bus,
  DlqPolicy,
  ExecutionMode,
  Framework,
  guard,
  isFault,
  layer,
  MemoryDeadLetters,
  MemoryLocks,
  MemoryRuns,
  pass,
  type Report,
  RetryPolicy,
  respond,
  SagaPolicy,
  synapse,
} from "framework";
import { TestApp } from "framework/http";

import { untyped, untypedApp } from "../../support/untyped.js";

/** An error with a prototype, a response of its own with a header, and a field. */
class HarbourFull {
  readonly code = "HARBOUR_FULL";
  readonly berths = 12;
  toReply() {
    return respond({ status: 503, headers: { "retry-after": "7" }, body: { berths: this.berths } });
  }
}
const harbourFull = new HarbourFull();
const burned = new Error("pier 7 caught fire");

/** The service fails at once, or later. */
const service = (isLate: boolean) =>
  synapse({
    name: "request berth",
    call: (): string | Promise<string> => {
      if (isLate) return Promise.reject(burned);
      throw burned;
    },
    toFault: () => harbourFull,
  });
type Service = ReturnType<typeof service>;

const begin = Axon.start("moor");
const twice = RetryPolicy.fixed(1, 0);
const moor = (step: Service) => Axon.start("inner").then(step);

const wrappers = {
  "a step": (step: Service) => begin.then(step),
  "a retry": (step: Service) => begin.thenWithRetry(step, twice),
  "a retry in a retry": (step: Service) =>
    begin.thenWithRetry(Axon.start("inner").thenWithRetry(step, twice).asTransition(), twice),
  "a policy of dead letters that retries": (step: Service) =>
    begin.then(step).withDlqPolicy(DlqPolicy.retryThenSend(twice)),
  "a subgraph": (step: Service) => begin.subgraph(moor(step)),
  "a retried subgraph": (step: Service) => begin.thenWithRetry(moor(step).asTransition(), twice),
  "a time limit": (step: Service) => begin.thenWithTimeout(step, 1000),
  "a subgraph with a time limit": (step: Service) => begin.thenWithTimeout(moor(step).asTransition(), 1000),
  "steps side by side": (step: Service) => begin.parallel([step], "AllMustSucceed", ([berth]) => berth),
  "steps side by side whose fault the merge returns": (step: Service) =>
    begin.parallel([step], "AnyCanFail", ([berth]) => berth),
  "a compensated step": (step: Service) => begin.thenCompensated(step, () => {}),
  "a step behind one that is undone": (step: Service) =>
    begin.thenCompensated({ name: "tie up", run: (input: unknown) => input }, () => {}).then(step),
  "a lock": (step: Service) =>
    begin.then(step).withExecutionMode(ExecutionMode.singleton("harbour", 1000, new MemoryLocks())),
  "a log": (step: Service) => begin.then(step).withPersistenceStore(new MemoryRuns()),
} as const;

/** Routes around the Axon; those of the letter are sent by the Axon itself. */
const around = {
  "a route": {},
  "a layer": { layers: [layer({ name: "sea", run: (_, next) => next() })] },
  "a layer that waits": { layers: [layer({ name: "sea", run: async (_, next) => await next() })] },
  "an onFault that leaves it": { onFault: () => undefined },
} as const;

describe("a fault of a service", () => {
  for (const [name, wrap] of Object.entries(wrappers))
    for (const isLate of [false, true])
      test(`comes whole out of ${name}${isLate ? ", later" : ""}`, async () => {
        const letters = new MemoryDeadLetters();
        const axon = wrap(service(isLate)).withDlqSink(letters);
        const outcome = await axon.execute();

        assert.ok(isFault(outcome));
        assert.equal(outcome.error, harbourFull);
        assert.deepEqual(outcome.mapped, { step: "request berth", thrown: burned });
        assert.ok(!Object.keys(outcome).includes("mapped"));
        const [letter] = letters.list();
        assert.match(letter?.cause ?? "", /^Error: pier 7 caught fire/);
      });

  for (const [name, wrap] of Object.entries(wrappers))
    for (const [where, options] of Object.entries(around))
      test(`is answered and reported once through ${name} in ${where}`, async () => {
        const reports: Report[] = [];
        const ingress = untyped(Framework.http({ reporter: (report) => reports.push(report) })).get(
          "/",
          wrap(service(true)),
          options,
        );
        await using app = untypedApp(ingress);
        const { status, headers, text } = await app.get("/");

        assert.deepEqual([status, headers["retry-after"], text], [503, "7", '{"berths":12}']);
        assert.deepEqual(
          reports.map(({ code, step, error }) => [code, step, error]),
          [["SERVICE_FAILED", "request berth", burned]],
        );
      });

  test("is reported where a guard returns it in front of a route with an onFault", async () => {
    const reports: Report[] = [];
    const asking = guard({
      name: "asking",
      run: async (input, bus) => {
        const berth = await service(true).run(input, bus);
        return isFault(berth) ? berth : pass(input);
      },
    });
    const ingress = Framework.http({ reporter: (report) => reports.push(report) })
      .guard(asking)
      .get("/", begin, { onFault: () => respond({ status: 418 }) });
    await using app = new TestApp(ingress);

    assert.equal((await app.get("/")).status, 503);
    assert.deepEqual(
      reports.map(({ code, error }) => [code, error]),
      [["SERVICE_FAILED", burned]],
    );
  });

  test("of a compensation is in its report and its dead letter", async () => {
    const letters = new MemoryDeadLetters();
    const reports: Report[] = [];
    const axon = Axon.start("undo")
      .thenCompensated({ name: "tie up", run: () => "tied" }, () =>
        service(false).run(undefined, Bus.of([]) as never),
      )
      .thenFn("sink", (): never => {
        throw new Error("it sank");
      })
      .withSagaPolicy(SagaPolicy.enabled({ retry: twice }))
      .withDlqSink(letters);
    const ingress = Framework.http({ reporter: (report) => reports.push(report) }).get("/", axon as never);
    await using app = new TestApp(ingress);
    await app.get("/");

    const letter = letters.list().find(({ kind }) => kind === "compensation");
    assert.match(letter?.cause ?? "", /^Error: pier 7 caught fire/);
    const failed = reports.find(({ code }) => code === "COMPENSATION_FAILED");
    assert.equal(failed?.error, burned);
  });
});

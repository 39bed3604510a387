// Streams that a step brings when its own time is up: each is cancelled, once.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, BearerAuth, Framework, type HttpIngress, type Report, RetryPolicy } from "framework";
import { TestApp } from "framework/http";
import { until } from "../../support/patience.js";
import { makes } from "../../support/released-streams.js";

const auth = BearerAuth.tokens({ operator: "operator-token-0123456789" });
/** Long enough for a step to be asked within it. */
const LIMIT_MS = 50;

/** A step whose answers come when the test gives them. */
function asked() {
  const answers: ((stream: unknown) => void)[] = [];
  const step = {
    name: "step",
    run: (): Promise<unknown> => new Promise((resolve) => void answers.push(resolve)),
  };
  return { answers, step };
}
type Step = ReturnType<typeof asked>["step"];

const started = () => Axon.start<void>("feed");
const inner = (step: Step) => Axon.start<void>("inner").then(step).asTransition();
const reports: Report[] = [];
const ingress = () => Framework.http({ reporter: (report) => void reports.push(report) });

const mounted: Readonly<Record<string, (step: Step) => HttpIngress<any, any>>> = {
  "a step": (step) => ingress().get("/", started().thenWithTimeout(step, LIMIT_MS)),
  "a subgraph": (step) => ingress().get("/", started().thenWithTimeout(inner(step), LIMIT_MS)),
  "a step in a subgraph": (step) =>
    ingress().get(
      "/",
      started().then(Axon.start<void>("inner").thenWithTimeout(step, LIMIT_MS).asTransition()),
    ),
  "a source of events": (step) =>
    ingress().sse("/", started().thenWithTimeout(step, LIMIT_MS) as never) as never,
};

describe("a stream that a step brings when its time is up", () => {
  for (const [what, mount] of Object.entries(mounted))
    for (const isWatched of [false, true])
      test(`is cancelled, of ${what}${isWatched ? ", watched" : ""}`, async () => {
        reports.length = 0;
        const { released, all } = makes();
        // Of events, one make is all that there is.
        const streams = what === "a source of events" ? [all.iterable] : Object.values(all);
        for (const make of streams) {
          const before = released.count;
          const { answers, step } = asked();
          const plain = mount(step);
          await using app = new TestApp<any>(
            isWatched ? plain.inspector({ enabled: true, auth }) : plain,
            {},
          );
          assert.equal((await app.get("/")).problem.code, "STEP_TIMEOUT");
          const answer = answers[0] ?? assert.fail(`${what} was not asked in its time`);
          answer(make());
          await until("the stream's end", () => released.count > before);
          assert.equal(released.count, before + 1);
        }
        assert.deepEqual(
          reports.filter(({ code }) => code === "STREAM_FAILED"),
          [],
        );
      });

  test("is cancelled where the run goes on, and the next try's is sent", async () => {
    const { released, all } = makes();
    let tries = 0;
    let bring: (stream: unknown) => void = () => {};
    const step = {
      name: "step",
      run: (): unknown => {
        tries += 1;
        if (tries === 1) return new Promise((resolve) => (bring = resolve));
        bring(all.iterable());
        return (async function* () {
          yield "second";
        })();
      },
    };
    const timed = Axon.start<void>("inner").thenWithTimeout(step, LIMIT_MS).asTransition();
    const axon = started().thenWithRetry(timed, RetryPolicy.fixed(2, 0));
    await using app = new TestApp(ingress().get("/", axon));

    assert.equal((await app.get("/")).text, "second");
    await until("the first one's end", () => released.count === 1);
  });

  test("is left alone where it was to be no answer", async () => {
    const { released, all } = makes();
    const { answers, step } = asked();
    const axon = started()
      .thenWithTimeout(step, LIMIT_MS)
      .thenFn("use", () => "used");
    await using app = new TestApp(ingress().get("/", axon));
    assert.equal((await app.get("/")).problem.code, "STEP_TIMEOUT");

    const answer = answers[0] ?? assert.fail("the step was not asked in its time");
    answer(all.iterable());
    await new Promise((resolve) => setImmediate(resolve));

    assert.equal(released.count, 0);
  });
});

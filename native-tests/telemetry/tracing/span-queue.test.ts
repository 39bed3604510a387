import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import fc from "fast-check";

import { SpanQueue, type SpanQueueOptions } from "#telemetry/tracing/span-queue.js";
import { turn } from "../../support/outcome-code.js";

const span = (traceFlags = 1) => ({ spanContext: () => ({ traceFlags }) }) as unknown as ReadableSpan;

const never = () => new Promise(() => {});

/** A queue whose time and whose exports are the test's. */
function queued(options: Partial<SpanQueueOptions> = {}) {
  const clock = { ms: 0, timers: [] as { at: number; then: () => void }[] };
  const sent: { readonly count: number; readonly end: (failure?: string) => void }[] = [];
  const reports: string[] = [];
  let made = 0;
  let ended = 0;
  const exporter: SpanExporter = {
    export(spans, done) {
      const end = (failure?: string) =>
        done(failure === undefined ? { code: 0 } : { code: 1, error: new Error(failure) });
      sent.push({ count: spans.length, end });
    },
    shutdown: async () => {
      ended += 1;
    },
  };
  const queue = new SpanQueue({
    makeExporter: () => {
      made += 1;
      return exporter;
    },
    reporter: ({ code, message }) => reports.push(`${code}: ${message}`),
    untraced: (run) => run(),
    maxSpans: 10,
    batchSpans: 4,
    delayMs: 100,
    exportTimeoutMs: 1000,
    clock: {
      now: () => clock.ms,
      after(ms, then) {
        const timer = { at: clock.ms + ms, then };
        clock.timers.push(timer);
        return () => {
          clock.timers = clock.timers.filter((known) => known !== timer);
        };
      },
    },
    ...options,
  });
  const add = (count: number) => {
    for (let i = 0; i < count; i += 1) queue.onEnd(span());
  };
  const pass = async (ms: number) => {
    clock.ms += ms;
    for (const timer of clock.timers.filter(({ at }) => at <= clock.ms)) {
      clock.timers = clock.timers.filter((known) => known !== timer);
      timer.then();
    }
    await turn();
  };
  return { queue, sent, reports, add, pass, exporters: () => ({ made, ended }) };
}

describe("a queue of spans", () => {
  test("connects to nothing before the first span, and waits for others", async () => {
    const { sent, add, pass, exporters } = queued();
    await pass(1000);
    add(1);
    await pass(99);
    assert.deepEqual([sent.length, exporters().made], [0, 0]);

    await pass(1);
    assert.deepEqual([sent.length, sent[0]?.count, exporters().made], [1, 1, 1]);
  });

  test("sends a full batch at once, but not in the turn that filled it", async () => {
    const { sent, add, pass } = queued();
    add(4);
    assert.equal(sent.length, 0);

    await pass(0);
    assert.equal(sent[0]?.count, 4);
  });

  test("sends one batch after another, never two at once", async () => {
    const { sent, add, pass } = queued();
    add(9);
    await pass(0);
    // One that comes meanwhile does not begin another batch, however long the first takes.
    add(1);
    await pass(150);
    assert.deepEqual(
      sent.map(({ count }) => count),
      [4],
    );

    sent[0]?.end();
    await turn();
    await pass(0);
    assert.deepEqual(
      sent.map(({ count }) => count),
      [4, 4],
    );
    sent[1]?.end();
    await turn();
    await pass(100);
    assert.equal(sent[2]?.count, 2);
  });

  test("drops and counts what it has no room for", async () => {
    const { queue, add, reports } = queued();
    add(13);

    assert.deepEqual([queue.size, queue.dropped], [10, 3]);
    assert.deepEqual(reports, ["TELEMETRY_DROPPED: 1 spans were not sent: more than 10 waited to be sent"]);
  });

  test("takes no span that is not sampled", () => {
    const { queue } = queued();
    queue.onEnd(span(0));

    assert.equal(queue.size, 0);
  });

  test("says what was lost once a minute at most, with all that was lost meanwhile", async () => {
    const { add, pass, sent, reports, queue } = queued();
    for (let i = 0; i < 5; i += 1) {
      add(4);
      await pass(0);
      sent.at(-1)?.end("refused");
      await turn();
      await pass(20_000);
    }

    assert.deepEqual(reports, [
      "TELEMETRY_DROPPED: 4 spans were not sent: refused",
      "TELEMETRY_DROPPED: 12 spans were not sent: refused",
    ]);
    assert.equal(queue.dropped, 20);
  });

  test("gives up an export that never ends, and goes on with the next", async () => {
    const { add, pass, sent, queue } = queued();
    add(8);
    await pass(0);
    await pass(1000);
    await pass(0);

    assert.deepEqual([sent.length, queue.dropped], [2, 4]);
    sent[0]?.end();
    sent[1]?.end();
    await turn();
    assert.equal(queue.dropped, 4);
  });

  test("loses nothing but spans to an exporter that throws, or cannot be made", async () => {
    for (const broken of [
      { makeExporter: () => ({ export: () => assert.fail("it broke"), shutdown: async () => {} }) },
      { makeExporter: () => assert.fail("it broke") },
    ]) {
      const { queue, add, reports } = queued(broken);
      add(2);
      await queue.forceFlush();
      await queue.rest(never());

      assert.deepEqual(reports, ["TELEMETRY_DROPPED: 2 spans were not sent: it broke"]);
    }
  });

  test("rests when everything was sent, and ends the connection", async () => {
    const { queue, add, sent, exporters, reports } = queued();
    add(6);
    const resting = queue.rest(never());
    for (let i = 0; i < 2; i += 1) {
      while (sent.length === i) await turn();
      sent[i]?.end();
    }
    await resting;

    assert.deepEqual([queue.size, exporters().ended, reports], [0, 1, []]);
  });

  test("rests when the time for it is over, and counts what was on its way too", async () => {
    const { queue, add, reports, exporters } = queued();
    add(6);
    await queue.rest(turn());

    assert.deepEqual([queue.size, queue.dropped, exporters().ended], [0, 6, 1]);
    assert.match(reports[0] ?? "", /^TELEMETRY_DROPPED: 6 spans were not sent: the process stopped/);
  });

  test("keeps, sends or counts each span, and never more than it may, whatever comes when", async () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ add: fc.integer({ min: 1, max: 7 }) }),
        fc.record({ pass: fc.integer({ min: 0, max: 200 }) }),
        fc.record({ taken: fc.boolean() }),
      ),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const { queue, add, pass, sent } = queued({ exportTimeoutMs: 1_000_000 });
        let [added, ended, taken] = [0, 0, 0];
        for (const step of all) {
          if ("add" in step) {
            add(step.add);
            added += step.add;
          } else if ("pass" in step) await pass(step.pass);
          else if (ended < sent.length) {
            const { count, end } = sent[ended] ?? assert.fail();
            ended += 1;
            if (step.taken) taken += count;
            end(step.taken ? undefined : "refused");
            await turn();
          }

          const underway = sent.slice(ended).map(({ count }) => count);
          assert.ok(queue.size <= 10 && underway.length <= 1 && (underway[0] ?? 0) <= 4);
          assert.equal(added, taken + queue.dropped + queue.size + (underway[0] ?? 0));
        }
      }),
      { numRuns: 60 },
    );
  });
});

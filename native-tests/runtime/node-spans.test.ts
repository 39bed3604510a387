// Spans of the nodes of random Axons: each stands in the node that its place in the Schematic
// says, begins and ends within that one's time, and is left once.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import type { NodeSpan, Recorder } from "#core/timeline/recorder.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { runOnce } from "../support/executors.js";
import { buildAxon } from "../support/random-axon.js";
import { axonPlan } from "../support/random-plan.js";

const FOREVER_MS = 1e9;

class NotedSpan implements NodeSpan {
  readonly placeIn: NodeSpan["placeIn"] = (given) => given;
  readonly ends: number[] = [];
  tries = 1;
  readonly branches: string[] = [];
  readonly node: string;
  readonly within: NotedSpan | undefined;
  readonly startedUs: number;

  constructor(node: string, within: NotedSpan | undefined, startedUs: number) {
    this.node = node;
    this.within = within;
    this.startedUs = startedUs;
  }

  run<T>(call: () => T): T {
    return call();
  }

  failed(attempt: number): void {
    assert.equal(attempt, this.tries);
  }

  tried(attempt: number): this {
    this.tries += 1;
    assert.equal(attempt, this.tries);
    return this;
  }

  branched(_: string, path: string): void {
    this.branches.push(path);
  }

  worked(): void {}

  left(_: unknown, __: unknown, at_us: number): void {
    this.ends.push(at_us);
  }
}

/** The node that one stands in, by its id: branches stand beside the node that has chosen them. */
function around(id: string): string | undefined {
  const end = id.replace(/:(in|out|iam)$/, "/");
  const path = end.slice(0, end.lastIndexOf("/"));
  const last = path.slice(path.lastIndexOf("/") + 1);
  if (last.includes(":")) return around(path.slice(0, path.lastIndexOf(":")));
  return path.includes("/") ? path : undefined;
}

const seen = { within: 0, branches: 0, tries: 0 };

describe("the spans of a run's nodes", () => {
  test("stand as the Schematic has them, whatever the Axon", async () => {
    const run = async (plan: Parameters<typeof buildAxon>[0], input: number): Promise<void> => {
      const clock = new ManualClock();
      const controller = new AbortController();
      const spans: NotedSpan[] = [];
      const recorder: Recorder = {
        span: (_, node, within, at_us) => {
          const span = new NotedSpan(node, within as NotedSpan | undefined, at_us);
          spans.push(span);
          return span;
        },
      };
      const axon = buildAxon(plan, {
        effects: [],
        abort: () => controller.abort(),
        clock,
        letters: { send: () => {} },
      });
      const options = { recorder, clock, reporter: () => {}, production: true };
      const executor = { name: "spans", options, level: { kind: "all" } } as const;
      const running = runOnce(axon, input, executor, controller.signal);
      await clock.advance(FOREVER_MS);
      await running;
      for (const { node, within, ends, startedUs, branches, tries } of spans) {
        assert.equal(within?.node, around(node), node);
        assert.equal(ends.length, 1, node);
        const [endedUs = 0] = ends;
        assert.ok(startedUs <= endedUs, node);
        if (within !== undefined) {
          const [end = 0] = within.ends;
          assert.ok(within.startedUs <= startedUs && endedUs <= end, node);
          seen.within += 1;
        }
        seen.branches += branches.length;
        seen.tries += tries - 1;
      }
    };
    await fc.assert(fc.asyncProperty(axonPlan, fc.integer({ min: 0, max: 99 }), run), { numRuns: 300 });

    for (const [what, count] of Object.entries(seen)) assert.ok(count > 0, `${count} ${what}`);
  });
});

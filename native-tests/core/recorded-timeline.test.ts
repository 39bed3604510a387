import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { RecordedTimeline } from "#core/recorded-timeline.js";
import type { NodeOutcome, TimelineEvent } from "#core/timeline.js";
import { ENTER, EXIT, Shape, Shapes } from "#core/timeline-shapes.js";

type Did =
  | { readonly enter: string }
  | { readonly exit: NodeOutcome }
  | { readonly other: TimelineEvent }
  | { readonly access: readonly [string, "read" | "write" | "delete", string] };

const node = fc.constantFrom("a/one", "a/two", "a/three");
const other = fc.oneof(
  fc.record({ kind: fc.constant("branch_taken" as const), node, branch: fc.constantFrom("left", "right") }),
  fc.record({ kind: fc.constant("node_timeout" as const), node, timeout_ms: fc.constantFrom(1, 2) }),
);
const did: fc.Arbitrary<Did> = fc.oneof(
  fc.record({ enter: node }),
  fc.record({ exit: fc.constantFrom<NodeOutcome>("next", "fault", "branch", "aborted") }),
  fc.record({ other: other.map((event) => ({ ...event, at_us: 0 })) }),
  fc.record({
    access: fc.tuple(node, fc.constantFrom("read", "write", "delete"), fc.constantFrom("Key", "Other")),
  }),
);
/** Runs that mostly do what another did, up to some point. */
const runs = fc.array(fc.array(did, { maxLength: 12 }), { minLength: 1, maxLength: 3 }).chain((paths) =>
  fc.array(
    fc
      .tuple(fc.nat(paths.length - 1), fc.nat(12), fc.array(did, { maxLength: 3 }))
      .map(([path, kept, more]) => [...(paths[path] as readonly Did[]).slice(0, kept), ...more]),
    { minLength: 1, maxLength: 12 },
  ),
);

/** Does the how manyth thing of a run. */
function take(step: Did, timeline: RecordedTimeline, open: number[], at_us: number): void {
  if ("enter" in step) open.push(timeline.enter(step.enter, at_us));
  else if ("other" in step) timeline.add({ ...step.other, at_us });
  else if ("access" in step) timeline.access(...step.access);
  else {
    const entered = open.pop();
    if (entered !== undefined) timeline.exit(entered, at_us, step.exit);
  }
}

const alone = (steps: readonly Did[]): RecordedTimeline => {
  const timeline = new RecordedTimeline("a", "1", 0);
  const open: number[] = [];
  for (const [at, step] of steps.entries()) take(step, timeline, open, at * 10);
  return timeline;
};

// One for all runs, as who measures them has: what it found of a shape is asked for again.
const finder = { of: (node: string) => node };

const shown = (timeline: RecordedTimeline) => {
  const exits: unknown[] = [];
  timeline.eachExit(finder, (...exit) => exits.push(exit));
  const { events, accesses, size, accessed, last_us, entered } = timeline;
  const branched = timeline.has("branch_taken");
  return { events, accesses, exits, size, accessed, last_us, entered, branched };
};

describe("the Timelines of one circuit's runs", () => {
  test("each say what they would alone, whatever the runs before and beside them did", () => {
    fc.assert(
      fc.property(runs, fc.array(fc.nat()), (all, order) => {
        const shapes = new Shapes();
        const going = all.map((steps) => ({
          steps,
          at: 0,
          open: [] as number[],
          timeline: undefined as RecordedTimeline | undefined,
        }));
        const ended: { readonly steps: readonly Did[]; readonly timeline: RecordedTimeline }[] = [];
        // One step of some run after another: runs wait for one another.
        for (let turn = 0; going.length > 0; turn += 1) {
          const place = (order[turn] ?? 0) % going.length;
          const run = going[place] as (typeof going)[number];
          run.timeline ??= new RecordedTimeline("a", "1", 0, shapes);
          const step = run.steps[run.at];
          if (step !== undefined) take(step, run.timeline, run.open, run.at * 10);
          run.at += 1;
          if (run.at < run.steps.length) continue;
          run.timeline.end();
          ended.push({ steps: run.steps, timeline: run.timeline });
          going.splice(place, 1);
        }
        for (const { steps, timeline } of ended) assert.deepEqual(shown(timeline), shown(alone(steps)));
      }),
      { numRuns: 500 },
    );
  });

  test("follow a line as if they had told of each of its events, whatever the runs before them did", () => {
    const followed = fc.record({
      parts: fc.tuple(fc.nat(8), fc.nat(8)),
      more: fc.array(did, { maxLength: 4 }),
    });
    fc.assert(
      fc.property(
        fc.array(node, { minLength: 1, maxLength: 4 }),
        fc.array(followed, { minLength: 1, maxLength: 10 }),
        (nodes, runs) => {
          const line = new Shape();
          for (const [at, id] of nodes.entries()) {
            line.addEvent(ENTER, id);
            line.addEvent(EXIT, 2 * at);
          }
          const shapes = new Shapes();
          for (const { parts, more } of runs) {
            const to = parts.map((part) => Math.min(2 * part, line.size)).sort((a, b) => a - b);
            const timeline = new RecordedTimeline("a", "1", 0, shapes);
            const told = new RecordedTimeline("a", "1", 0);
            for (const part of to) {
              for (let at = timeline.size; at < part; at += 1) timeline.times[at] = at * 10;
              timeline.follow(line, part);
            }
            for (let at = 0; at < timeline.size; at += 2)
              told.exit(told.enter(nodes[at / 2] as string, at * 10), (at + 1) * 10, "next");
            for (const one of [timeline, told]) {
              const open: number[] = [];
              for (const [at, step] of more.entries()) take(step, one, open, 100 + at * 10);
            }
            timeline.end();
            assert.deepEqual(shown(timeline), shown(told));
          }
        },
      ),
    );
  });

  test("are copied whole into one that was another's, which says nothing of that any more", () => {
    fc.assert(
      fc.property(runs, (all) => {
        const copy = new RecordedTimeline("", "", 0);
        for (const steps of all) {
          const timeline = alone(steps);
          timeline.end();
          copy.copy(timeline);
          assert.deepEqual(copy.plain(), timeline.plain());
          assert.deepEqual(shown(copy), shown(timeline));
        }
      }),
    );
  });

  test("that were asked for their events keep what was answered, when they become another's copy", () => {
    const copy = new RecordedTimeline("", "", 0);
    copy.copy(alone([{ enter: "a/one" }, { exit: "next" }]));
    const { events } = copy;
    const before = structuredClone(events);
    copy.copy(alone([{ enter: "a/two" }]));

    assert.deepEqual(events, before);
  });

  test("share what happened, once a run has done the same", () => {
    const shapes = new Shapes();
    const one = { enter: "a/one" };
    const end = (steps: readonly Did[]) => {
      const timeline = new RecordedTimeline("a", "1", 0, shapes);
      for (const step of steps) take(step, timeline, [], 0);
      timeline.end();
      return shapes.last;
    };
    const first = end([one, one]);

    assert.equal(end([one, one]), first);
    assert.equal(end([one]), first);
    const other = end([one, { enter: "a/two" }]);
    assert.notEqual(other, first);
    assert.equal(end([one, one]), first);
    assert.equal(end([one, { enter: "a/two" }]), other);
  });

  test("are remembered by what runs have, however many others each have a shape of their own", () => {
    const shapes = new Shapes();
    const end = (node: string) => {
      const timeline = new RecordedTimeline("a", "1", 0, shapes);
      timeline.enter(node, 0);
      timeline.end();
      return shapes.last;
    };
    const usual = end("a/usual");

    for (let run = 0; run < 20; run += 1) {
      end(`a/odd-${run}`);
      assert.equal(end("a/usual"), usual);
    }
  });

  test("say what other events there were, without making any", () => {
    const timeline = alone([
      { enter: "a/one" },
      { other: { kind: "node_timeout", node: "a/one", timeout_ms: 1, at_us: 0 } },
    ]);

    assert.deepEqual(
      (["node_timeout", "dlq_exhausted", "node_enter"] as const).map((kind) => timeline.has(kind)),
      [true, false, false],
    );
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { ACCESSES, NotedNames, RecordedTimeline } from "#core/timeline/recorded-timeline.js";
import type { NodeOutcome, TimelineEvent } from "#core/timeline/timeline.js";

type Did =
  | { readonly enter: string }
  | { readonly exit: NodeOutcome }
  | { readonly other: TimelineEvent }
  | { readonly access: readonly [node: number, access: number, key: string] };

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
    access: fc.tuple(fc.nat(2), fc.nat(2), fc.constantFrom("Key", "Other")),
  }),
);
const NODES = ["a/one", "a/two", "a/three"];

/** Does the how manyth thing of a run. */
function take(step: Did, timeline: RecordedTimeline, open: number[], at_us: number): void {
  if ("enter" in step) open.push(timeline.enterNamed(step.enter, at_us));
  else if ("other" in step) timeline.add({ ...step.other, at_us });
  else if ("access" in step) timeline.access(...step.access);
  else {
    const entered = open.pop();
    if (entered === undefined) return;
    if (step.exit === "next") timeline.passed(entered, at_us);
    else timeline.exit(entered, at_us, step.exit);
  }
}

const recorded = (steps: readonly Did[], names = new NotedNames(NODES)): RecordedTimeline => {
  const timeline = new RecordedTimeline("a", "1", 0, names);
  const open: number[] = [];
  for (const [at, step] of steps.entries()) take(step, timeline, open, at * 10);
  return timeline;
};

/** What a run that did this is to say. */
function expected(steps: readonly Did[]) {
  const events: TimelineEvent[] = [];
  const open: TimelineEvent[] = [];
  for (const [at, step] of steps.entries()) {
    const at_us = at * 10;
    if ("enter" in step) {
      const event = { kind: "node_enter" as const, node: step.enter, at_us };
      events.push(event);
      open.push(event);
    } else if ("other" in step) events.push({ ...step.other, at_us });
    else if ("exit" in step) {
      const entered = open.pop();
      if (entered === undefined) continue;
      const { node } = entered;
      const duration_us = at_us - entered.at_us;
      events.push({ kind: "node_exit", node, at_us, outcome: step.exit, duration_us });
    }
  }
  const accesses = steps.flatMap((step) => {
    if (!("access" in step)) return [];
    const [node, access, key] = step.access;
    return [{ node: NODES[node], access: ACCESSES[access], key }];
  });
  return {
    ...{ events, accesses, size: events.length, accessed: accesses.length },
    exits: events.flatMap((event) =>
      event.kind === "node_exit"
        ? [[event.node, event.duration_us], ...(event.outcome === "fault" ? [[event.node, "fault"]] : [])]
        : [],
    ),
    last_us: events.at(-1)?.at_us ?? 0,
    entered: events.filter(({ kind }) => kind === "node_enter").length,
    branched: events.some(({ kind }) => kind === "branch_taken"),
  };
}

// One for all runs, as who measures them has: what it found of a node is not asked for again.
const finder = { of: (node: string) => node };

const shown = (timeline: RecordedTimeline) => {
  const exits: unknown[] = [];
  timeline.tellDurations(finder, {
    took: (node, us) => exits.push([node, us]),
    faulted: (node) => exits.push([node, "fault"]),
  });
  const { events, accesses, size, accessed, last_us, entered } = timeline;
  const branched = timeline.has("branch_taken");
  return { events, accesses, exits, size, accessed, last_us, entered, branched };
};

describe("the Timelines of one circuit's runs", () => {
  test("say what happened in each, whatever the runs before and beside it did", () => {
    fc.assert(
      fc.property(fc.array(fc.array(did, { maxLength: 12 }), { maxLength: 6 }), (runs) => {
        const names = new NotedNames(["a/one"]);
        names.numberOf("a/two");
        names.numberOf("a/three");
        const going = runs.map((steps) => ({
          timeline: new RecordedTimeline("a", "1", 0, names),
          open: [] as number[],
          steps,
        }));
        // One thing of each run after another, as runs that wait for something do.
        for (let at = 0; at < 12; at += 1)
          for (const { timeline, open, steps } of going) {
            const step = steps[at];
            if (step !== undefined) take(step, timeline, open, at * 10);
            if (at === steps.length) timeline.end();
          }
        for (const { timeline, steps } of going) assert.deepEqual(shown(timeline), expected(steps));
        for (const steps of runs) assert.deepEqual(shown(recorded(steps, names)), expected(steps));
      }),
      { numRuns: 500 },
    );
  });

  test("are copied whole into one that was another's, which says nothing of that any more", () => {
    fc.assert(
      fc.property(fc.array(fc.array(did, { maxLength: 12 }), { maxLength: 8 }), (runs) => {
        const copy = new RecordedTimeline("", "", 0);
        for (const steps of runs) {
          const timeline = recorded(steps);
          timeline.end();
          copy.copy(timeline);
          assert.deepEqual(copy.plain(), timeline.plain());
          assert.deepEqual(shown(copy), expected(steps));
        }
      }),
    );
  });

  test("that were asked for their events keep what was answered, when they become another's copy", () => {
    const copy = new RecordedTimeline("", "", 0);
    copy.copy(recorded([{ enter: "a/one" }, { exit: "next" }]));
    const { events } = copy;
    const before = structuredClone(events);
    copy.copy(recorded([{ enter: "a/two" }]));

    assert.deepEqual(events, before);
  });

  test("count the events that they have no room for, and are otherwise whole", () => {
    const timeline = new RecordedTimeline("a", "1", 0, new NotedNames(NODES));
    for (let visit = 0; visit < 6000; visit += 1) timeline.passed(timeline.enter(0, visit), visit);

    assert.deepEqual(
      [timeline.size, timeline.entered, timeline.events.length, timeline.dropped],
      [10_000, 5000, 10_000, 2000],
    );
  });

  test("have times of more than an hour, and of runs that were held for a month", () => {
    const timeline = new RecordedTimeline("a", "1", 0, new NotedNames(NODES));
    timeline.passed(timeline.enter(0, 5), 5 + 30 * 24 * 3600 * 1e6);

    assert.deepEqual(
      timeline.events.map(({ at_us }) => at_us),
      [5, 2_592_000_000_005],
    );
    assert.deepEqual(shown(timeline).exits, [["a/one", 2_592_000_000_000]]);
  });
});

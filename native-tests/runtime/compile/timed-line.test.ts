// What the generated line of a traced run notes, against the loop, which is told to tell of each node.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { busKey } from "#core/bus/bus-key.js";
import { type Branch, branch, fault, type Jump, jump, next } from "#core/bus/outcome.js";
import { transition } from "#core/flow/transition.js";
import type { RecordedTimeline } from "#core/timeline/recorded-timeline.js";
import type { Recorder, TracedRun } from "#core/timeline/recorder.js";
import { Axon } from "#runtime/axon/axon.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { Program } from "#runtime/compile/program.js";
import { compileTimedLine } from "#runtime/compile/timed-line.js";
import { RetryPolicy } from "#runtime/definition/retry-policy.js";
import { SUSPENDED } from "#runtime/run/instruction.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { RunControl } from "#runtime/run/run-control.js";
import { needsCodeGeneration } from "../../support/code-generation.js";
import { buildAxon } from "../../support/random-axon.js";
import { type AxonPlan, axonPlan, everyStep, type StepPlan } from "../../support/random-plan.js";

const FOREVER_MS = 1e9;

interface Noted {
  readonly outcome: unknown;
  readonly runs: readonly unknown[];
  readonly entered: readonly number[];
  readonly faulted: readonly number[];
  /** Calls of which it was noted how long they held the loop. */
  readonly timed: readonly number[];
}

/** Runs an Axon for each input, and answers what was noted of each of its runs. */
async function noted(
  axonOf: (clock: ManualClock, abort: () => void) => AnyAxon,
  inputs: readonly unknown[],
  tells: Recorder,
): Promise<Noted> {
  const clock = new ManualClock();
  const runs: unknown[] = [];
  const ended = ({ timeline }: TracedRun): void => {
    const { events, accesses, entered } = timeline as RecordedTimeline;
    runs.push({ events: structuredClone(events), accesses, entered });
  };
  const recorder: Recorder = { notesAccesses: true, ended, ...tells };
  let control = new RunControl();
  const abort = (): void => control.abort(new Error("enough"));
  const program = new Program(axonOf(clock, abort).definition, {
    production: true,
    recorder,
    clock,
    reporter: () => {},
  });
  program.watch?.watch({ kind: "all" });
  const outcomes: unknown[] = [];
  for (const input of inputs) {
    const state = program.acquire();
    control = new RunControl();
    state.control = control;
    const running = program.run(input, state);
    await clock.advance(FOREVER_MS);
    outcomes.push(String(JSON.stringify(await running)));
  }
  return { outcome: outcomes, runs, ...countsOf(program) };
}

function countsOf({ watch }: Program): Pick<Noted, "entered" | "faulted" | "timed"> {
  const { entered, faulted, synchronous } = watch?.counts ?? assert.fail();
  return { entered: [...entered], faulted: [...faulted], timed: [...synchronous.calls] };
}

/** What can be undone runs in the loop alone, and most plans have some of that. */
const bare = (steps: readonly StepPlan[], keepsPolicies: boolean): StepPlan[] =>
  steps.map(
    (step) =>
      ({
        ...step,
        undo: undefined,
        ...(keepsPolicies ? {} : { policy: { kind: "none" } }),
        body: bare(step.body, keepsPolicies),
      }) as StepPlan,
  );

/** Most of them lines for all their length. */
const plans: fc.Arbitrary<AxonPlan> = fc
  .tuple(axonPlan, fc.boolean(), fc.boolean())
  .map(([plan, keepsPolicies, keepsInner]) => ({
    ...plan,
    steps: bare(plan.steps, keepsPolicies).filter(({ kind }) => keepsInner || kind === "function"),
    keepsLetters: false,
  }))
  .filter(({ steps }) => !everyStep(steps).some((step) => step.kind === "function" && step.op === "hang"));

const LOOP: Recorder = { event: () => {} };

const Seen = busKey<number>()("Seen");
const keep = transition({
  name: "keep",
  writes: [Seen],
  run(n: number, bus) {
    bus.set(Seen, n);
    return n;
  },
});
const read = transition({ name: "read", reads: [Seen], run: (n: number, bus) => n + bus.get(Seen) });

/** What was noted of a run that is suspended for three milliseconds in the step of this place, also meanwhile. */
async function suspended(place: number, answer: () => unknown, tells: Recorder) {
  const clock = new ManualClock();
  const runs: unknown[] = [];
  const told: string[] = [];
  let timeline: RecordedTimeline | undefined;
  const recorder: Recorder = {
    notesAccesses: true,
    begun: (run) => {
      timeline = run.timeline as RecordedTimeline;
    },
    ended: (run, outcome) => {
      runs.push({ events: structuredClone(run.timeline.events) });
      told.push(String(JSON.stringify(outcome)));
    },
    ...tells,
  };
  let isFirst = true;
  const step = (at: number) =>
    transition({
      name: ["one", "two", "three"][at] as string,
      branches: ["aside"],
      jumps: ["again"],
      run: (n: number): number | Branch<"aside", number> | Jump<"again", number> => {
        if (at !== place || !isFirst) return n;
        isFirst = false;
        return SUSPENDED as never;
      },
    });
  const aside = Axon.start<number>("aside").thenFn("other", (n) => n);
  const axon = Axon.start<number>("waiting")
    .label("again")
    .then(step(0))
    .branch("aside", aside)
    .then(step(1))
    .branch("aside", aside)
    .then(step(2))
    .branch("aside", aside);
  const program = new Program(axon.definition, {
    production: true,
    recorder,
    clock,
    reporter: () => {},
  });
  program.watch?.watch({ kind: "all" });
  const state = program.acquire();
  assert.equal(program.run(1, state), SUSPENDED);
  const meanwhile = timeline?.events.map(({ kind, node }) => `${kind} ${node}`);
  await clock.advance(3);
  const outcome: unknown = await program.goOn(answer(), state);
  return { meanwhile, outcome: String(JSON.stringify(outcome)), told, runs, ...countsOf(program) };
}

describe("the generated line of a traced run", { skip: needsCodeGeneration }, () => {
  test("notes what the loop notes, whatever the steps answer, throw, wait for and leave", async () => {
    const inputs = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(plans, inputs, async (plan, given) => {
        const around = { effects: [], letters: { send: () => {} } };
        const axonOf = (clock: ManualClock, abort: () => void): AnyAxon =>
          buildAxon(plan, { ...around, clock, abort });
        assert.deepEqual(await noted(axonOf, given, {}), await noted(axonOf, given, LOOP));
      }),
      { numRuns: 200 },
    );
  });

  test("notes times, and each access with the node that it was", async () => {
    const axonOf = (clock: ManualClock): AnyAxon =>
      Axon.start<number>("timed")
        .then(keep)
        .thenFn("wait", (n) => new Promise<number>((resolve) => clock.after(7, () => resolve(n))))
        .then(read)
        .thenFn("last", (n) => n);
    const { runs, outcome } = await noted(axonOf, [1, 2], {});
    assert.deepEqual(outcome, ["2", "4"]);
    const [run] = runs as { events: { kind: string; node: string; at_us: number }[]; accesses: unknown }[];
    assert.deepEqual(
      run?.events.map(({ kind, node, at_us }) => `${kind} ${node} ${at_us}`),
      [
        "node_enter timed/keep 0",
        "node_exit timed/keep 0",
        "node_enter timed/wait 0",
        "node_exit timed/wait 7000",
        "node_enter timed/read 7000",
        "node_exit timed/read 7000",
        "node_enter timed/last 7000",
        "node_exit timed/last 7000",
      ],
    );
    assert.deepEqual(run.accesses, [
      { node: "timed/keep", access: "write", key: "Seen" },
      { node: "timed/read", access: "read", key: "Seen" },
    ]);
  });

  test("is left by a run that goes elsewhere, also where that comes back to the line", async () => {
    const axonOf = (): AnyAxon =>
      Axon.start<number>("bent")
        .label("again")
        .then(
          transition({
            name: "turn",
            branches: ["aside"],
            jumps: ["again"],
            run: (n: number) =>
              n === 3 ? jump("again", 0) : n === 2 ? branch("aside", n) : Promise.resolve(next(n)),
          }),
        )
        .branch(
          "aside",
          Axon.start<number>("aside").thenFn("one", (n) => n),
        )
        .thenFn("later", (n: number) => Promise.resolve(n + 1))
        .thenFn("last", (n) => n);
    assert.deepEqual(await noted(axonOf, [1, 2, 3, 1], {}), await noted(axonOf, [1, 2, 3, 1], LOOP));
  });

  test("is looked at by who is told of what nodes read and write, as far as it is", async () => {
    const axonOf = (): AnyAxon => Axon.start<number>("looked").then(keep).then(read);
    const seen: number[] = [];
    const busAccess = ({ timeline }: TracedRun): void => void seen.push(timeline.events.length);
    await noted(axonOf, [1], { busAccess });
    assert.deepEqual(seen, [1, 3]);
  });

  test("waits in the line for what the run is suspended for, and goes on as the loop does", async () => {
    const thrower = Object.defineProperty({}, "then", {
      get: () => {
        throw new Error("read");
      },
    });
    const answers: readonly (() => unknown)[] = [
      () => 5,
      () => undefined,
      () => fault(new Error("no body")),
      () => branch("aside", 6),
      () => branch("unknown", 6),
      () => jump("again", 7),
      () => Promise.resolve(8),
      () => Promise.reject(new Error("late")),
      () => ({ then: 1 }),
      () => thrower,
    ];
    for (const place of [0, 1, 2])
      for (const answer of answers)
        assert.deepEqual(await suspended(place, answer, {}), await suspended(place, answer, LOOP));
    const { runs } = await suspended(1, () => 5, {});
    const [run] = runs as { events: { kind: string; node: string; at_us: number }[] }[];
    assert.deepEqual(
      run?.events.map(({ kind, node, at_us }) => `${kind} ${node} ${at_us}`),
      [
        "node_enter waiting/one 0",
        "node_exit waiting/one 0",
        "node_enter waiting/two 0",
        "node_exit waiting/two 3000",
        "node_enter waiting/three 3000",
        "node_exit waiting/three 3000",
      ],
    );
  });

  test("ends where the run is aborted, and leaves tries to the loop", async () => {
    const axonOf = (_: ManualClock, abort: () => void): AnyAxon =>
      Axon.start<number>("ending")
        .thenFn("abort", (n) => {
          if (n === 1) abort();
          return n;
        })
        .thenWithRetry(
          transition({
            name: "tries",
            run(n: number) {
              if (n === 2) throw new Error("again");
              return n;
            },
          }),
          RetryPolicy.fixed(1, 0),
        )
        .thenFn("last", (n) => n);
    assert.deepEqual(await noted(axonOf, [1, 2, 3], {}), await noted(axonOf, [1, 2, 3], LOOP));
  });

  test("goes as far as the first step that runs others", () => {
    const lengthOf = (axon: AnyAxon): number | undefined => {
      const program = new Program(axon.definition, { production: true });
      return compileTimedLine(program, program, { clock: [0], entered: [], synchronous: {} } as never)
        ?.length;
    };
    const plain = Axon.start<number>("plain").thenFn("one", (n) => n);
    assert.equal(lengthOf(plain), 1);
    const p = transition({ name: "p", run: (n: number) => n });
    assert.equal(lengthOf(plain.parallel([p], "AllMustSucceed", ([n]) => n)), 1);
    assert.equal(lengthOf(Axon.start<number>("a").parallel([p], "AllMustSucceed", ([n]) => n)), undefined);
  });
});

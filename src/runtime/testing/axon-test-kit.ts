import type Assert from "node:assert/strict";
import { createRequire } from "node:module";
import { Bus } from "#core/bus/bus.js";
import type { AnyKey, TypeOfKey } from "#core/bus/bus-key.js";
import type { Fault } from "#core/bus/outcome.js";
import type { RuntimeFault } from "#core/bus/runtime-fault.js";
import { type Clock, systemClock } from "#core/clock.js";
import { RecordedTimeline } from "#core/timeline/recorded-timeline.js";
import type { Recorder } from "#core/timeline/recorder.js";
import type { Timeline, TimelineEvent } from "#core/timeline/timeline.js";
import type { ErrorsOf, Executable, InOf, OutOf } from "../axon/axon-flow.js";
import type { AnyAxon } from "../axon/axon-types.js";
import { fill } from "../axon/in-process.js";
import { missingKeys, requireNoneMissing } from "../check/definite-assignment.js";
import { keysOf } from "../check/used-keys.js";
import { Program } from "../compile/program.js";
import { withRuns } from "../definition/mounted-runs.js";
import { MemoryRuns } from "../kept/memory-runs.js";
import { RunControl } from "../run/run-control.js";

/** What a run left on its Bus. */
export interface BusAfterRun {
  /** The value under `key`, or undefined. */
  find<K extends AnyKey>(key: K): TypeOfKey<K> | undefined;
  has(key: AnyKey): boolean;
}

export interface TestRun<Out, E> {
  readonly outcome: Out | Fault<E | RuntimeFault>;
  readonly bus: BusAfterRun;
  readonly timeline: Timeline;
  /** Asserts what happened, in order: the fields that are given of events of the kinds that are named. */
  readonly assertTimeline: (expected: readonly ExpectedEvent[]) => void;
}

export interface TestKitOptions {
  /** Time for retries, time limits and the Timeline. Default: the process's own. */
  readonly clock?: Clock;
  /** Names dead letters. Default: a random UUID. */
  readonly newId?: () => string;
  /** Told of the run as those are who watch a server. */
  readonly recorder?: Recorder;
}

/**
 * Runs Axons in tests: with access checks whatever the mode, and with the Bus to
 * look at afterwards. Resources are given by the names of their keys, as to `run`.
 *
 *     const { outcome, bus } = await new AxonTestKit({ Db: fake }).set(Plan, "gold").run(axon, input);
 */
export class AxonTestKit {
  readonly #resources: Readonly<Record<string, unknown>>;
  readonly #values = new Map<AnyKey, unknown>();
  readonly #options: TestKitOptions;

  constructor(resources: Readonly<Record<string, unknown>> = {}, options: TestKitOptions = {}) {
    this.#resources = resources;
    this.#options = options;
  }

  set<K extends AnyKey>(key: K, value: TypeOfKey<K>): this {
    this.#values.set(key, value);
    return this;
  }

  /** Throws what mounting the Axon would throw; a fault is an outcome. */
  async run<A extends AnyAxon>(
    axon: A & Executable<A>,
    input: InOf<A>,
  ): Promise<TestRun<OutOf<A>, ErrorsOf<A>>> {
    const used = keysOf(axon.definition);
    const resources = [...used].filter((key) => Object.hasOwn(this.#resources, key.name));
    const values = [...resources.map((key) => [key, this.#resources[key.name]] as const), ...this.#values];
    let timeline: Timeline | undefined;
    const { recorder: given = {} } = this.#options;
    // Each by a call: the methods of a class would be lost in a copy.
    const recorder: Recorder = {
      mounted: (circuit) => given.mounted?.(circuit),
      beforeNode: (run, node, input) =>
        given.beforeNode === undefined ? input : given.beforeNode(run, node, input),
      begun: (run) => given.begun?.(run),
      afterNode: (run, node, outcome) => given.afterNode?.(run, node, outcome),
      busAccess: (run, node, access, key, value) => given.busAccess?.(run, node, access, key, value),
      event: (run, event) => given.event?.(run, event),
      ended: (run, outcome) => {
        // Whoever tests may copy it as data.
        timeline = run.timeline instanceof RecordedTimeline ? run.timeline.plain() : run.timeline;
        given.ended?.(run, outcome);
      },
    };
    const { clock = systemClock, newId } = this.#options;
    const onBus = this.#values.keys();
    const definition = withRuns(axon.definition, new MemoryRuns());
    const program = new Program(definition, { production: false, given: onBus, clock, newId, recorder });
    program.watch?.watch({ kind: "all" });
    const known = values.map(([key]) => key);
    requireNoneMissing(missingKeys(axon.name, program.code, known));
    const state = program.acquire();
    // A run that somebody controls keeps its state, and so its Bus, when it is over.
    state.control = new RunControl();
    fill(state, Bus.of(values as never));
    const outcome = (await program.run(input, state)) as OutOf<A> | Fault<ErrorsOf<A> | RuntimeFault>;
    const read = (key: AnyKey): unknown => state.values[state.table[key.slot] ?? 0];
    const recorded = timeline as unknown as Timeline;
    return {
      outcome,
      timeline: recorded,
      assertTimeline: (expected) => assertTimeline(recorded, expected),
      bus: {
        find: <K extends AnyKey>(key: K) => read(key) as TypeOfKey<K> | undefined,
        has: (key) => read(key) !== undefined,
      },
    };
  }
}

// Loaded by the first test that asserts: a program that runs does not pay for it.
const require = createRequire(import.meta.url);

/** An event as a test expects it: its kind, and as much of the rest as matters. */
export type ExpectedEvent = TimelineEvent extends infer Event
  ? Event extends { readonly kind: infer Kind }
    ? { readonly kind: Kind } & Partial<Omit<Event, "kind">>
    : never
  : never;

/** Of events of the kinds that are expected each must be there, and no more. Throws an AssertionError that shows both. */
export function assertTimeline(timeline: Timeline, expected: readonly ExpectedEvent[]): void {
  const assert: typeof Assert = require("node:assert/strict");
  // What nobody expects is left out, but where nothing is expected at all.
  const kinds = new Set<string>(expected.map(({ kind }) => kind));
  const happened = timeline.events.filter(({ kind }) => expected.length === 0 || kinds.has(kind));
  // A list that lost events would agree with one that is short.
  if (timeline.dropped > 0)
    assert.fail(`The Timeline of '${timeline.axon}' has lost ${timeline.dropped} events`);
  const shown = happened.map((event, i) => {
    const { [i]: pair } = expected;
    const alike = pair?.kind === event.kind ? [pair] : expected.filter(({ kind }) => kind === event.kind);
    return only(event, new Set(["kind", ...alike.flatMap(Object.keys)]));
  });
  assert.deepEqual(shown, expected, `The Timeline of '${timeline.axon}'`);
}

const only = (event: TimelineEvent, fields: ReadonlySet<string>): unknown =>
  Object.fromEntries(Object.entries(event).filter(([name]) => fields.has(name)));

import type Assert from "node:assert/strict";
import { createRequire } from "node:module";
import { Bus } from "#core/bus/bus.js";
import type { AnyKey, TypeOfKey } from "#core/bus/bus-key.js";
import type { RunLabels } from "#core/bus/label.js";
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

/** The Bus values at the end of a run. */
export interface BusAfterRun {
  /** The value under `key`, or undefined. */
  find<K extends AnyKey>(key: K): TypeOfKey<K> | undefined;
  has(key: AnyKey): boolean;
}

export interface TestRun<Out, E> {
  readonly outcome: Out | Fault<E | RuntimeFault>;
  readonly bus: BusAfterRun;
  readonly timeline: Timeline;
  /** The labels that its steps have set. */
  readonly labels: RunLabels;
  /** Asserts events in order: compares the given fields, for events of the named kinds. */
  readonly assertTimeline: (expected: readonly ExpectedEvent[]) => void;
}

export interface TestKitOptions {
  /** The clock for retries, time limits and the Timeline. Default: the clock of the process. */
  readonly clock?: Clock;
  /** Makes the ids of dead letters. Default: a random UUID. */
  readonly newId?: () => string;
  /** Observes the run, as the watchers of a server do. */
  readonly recorder?: Recorder;
}

/**
 * Runs Axons in tests: with access checks in every mode, and with the Bus for inspection
 * afterwards. Resources are given by the names of their keys, as to `run`.
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

  /** Throws the errors of mounting the Axon; a fault is an outcome. */
  async run<A extends AnyAxon>(
    axon: A & Executable<A>,
    input: InOf<A>,
  ): Promise<TestRun<OutOf<A>, ErrorsOf<A>>> {
    const used = keysOf(axon.definition);
    const resources = [...used].filter((key) => Object.hasOwn(this.#resources, key.name));
    const values = [...resources.map((key) => [key, this.#resources[key.name]] as const), ...this.#values];
    let timeline: Timeline | undefined;
    const { recorder: given = {} } = this.#options;
    // Each method by a call: a copy would lose the methods of a class.
    const recorder: Recorder = {
      mounted: (circuit) => given.mounted?.(circuit),
      beforeNode: (run, node, input) =>
        given.beforeNode === undefined ? input : given.beforeNode(run, node, input),
      begun: (run) => given.begun?.(run),
      afterNode: (run, node, outcome) => given.afterNode?.(run, node, outcome),
      busAccess: (run, node, access, key, value) => given.busAccess?.(run, node, access, key, value),
      event: (run, event) => given.event?.(run, event),
      ended: (run, outcome) => {
        // A test may copy it as data.
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
    // A run with a control keeps its state, and so its Bus, when it is over.
    state.control = new RunControl();
    fill(state, Bus.of(values as never));
    const outcome = (await program.run(input, state)) as OutOf<A> | Fault<ErrorsOf<A> | RuntimeFault>;
    const read = (key: AnyKey): unknown => state.values[state.table[key.slot] ?? 0];
    const recorded = timeline as unknown as Timeline;
    return {
      outcome,
      timeline: recorded,
      labels: state.duties.labels ?? {},
      assertTimeline: (expected) => assertTimeline(recorded, expected),
      bus: {
        find: <K extends AnyKey>(key: K) => read(key) as TypeOfKey<K> | undefined,
        has: (key) => read(key) !== undefined,
      },
    };
  }
}

// Loaded by the first assertion of a test: other programs do not pay for it.
const require = createRequire(import.meta.url);

/** An event as a test expects it: its kind, and any of its other fields. */
export type ExpectedEvent = TimelineEvent extends infer Event
  ? Event extends { readonly kind: infer Kind }
    ? { readonly kind: Kind } & Partial<Omit<Event, "kind">>
    : never
  : never;

/** Each expected event must occur, and no other event of the expected kinds. Throws an AssertionError that shows both lists. */
export function assertTimeline(timeline: Timeline, expected: readonly ExpectedEvent[]): void {
  const assert: typeof Assert = require("node:assert/strict");
  // Events of other kinds are left out, unless the expected list is empty.
  const kinds = new Set<string>(expected.map(({ kind }) => kind));
  const happened = timeline.events.filter(({ kind }) => expected.length === 0 || kinds.has(kind));
  // A list that lost events could equal a shorter one.
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

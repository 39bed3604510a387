// Dead letters of the mounted circuits: list, re-drive, discard. A letter is re-driven by the
// circuit of its name that is mounted here, or stays. A failing store is a fault and reported,
// not an unknown letter. The caller waits ANSWER_MS for a re-drive, which then continues.

import type { Static } from "@sinclair/typebox";

import type { Bus } from "#core/bus/bus.js";
import { type Fault, isFault } from "#core/bus/outcome.js";
import { type Reporter, reportAsWarning } from "#core/bus/reporter.js";
import { type Clock, systemClock } from "#core/clock.js";
import { FrameworkError } from "#core/errors.js";
import type {
  DeadLetter,
  DeadLetterFilter,
  DeadLetterSink,
  DeadLetterStore,
} from "#core/ports/dead-letter.js";
import { isTraceMark } from "#core/timeline/trace-mark.js";
import { type BegunRun, type RedriveOptions, redriveOn } from "#runtime/axon/redrive.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import { BY_PROGRAM, type Intervention } from "#runtime/run/intervention.js";
import { axonId, egressId } from "#runtime/run/node-id.js";
import { isRunId } from "#runtime/run/run-id.js";
import type {
  DeadLetterQuery,
  DeadLetterRow,
  DiscardedLetter,
  Redriven,
  DeadLetters as Shown,
} from "../api/dead-letters.js";
import { LATE, withDeadline } from "../api/deadline.js";
import { type InspectorFault, inspectorFault } from "../api/fault.js";
import type { NodePlace } from "../api/node-place.js";
import type { Payload } from "../api/traces.js";
import { faultReason } from "../traces/fault-reason.js";
import { OFF } from "../traces/payload-capture.js";

export const DEFAULT_LIMIT = 100;

export interface DeadLettersOptions {
  readonly stores: readonly DeadLetterStore[];
  readonly axons: readonly AxonDefinition[];
  /** The server's resources, for the Bus of a re-driven run. Default: none. */
  readonly bus?: () => Bus;
  /** An input, or the outcome of a re-drive, as an operator sees it. Default: off. */
  readonly capture?: (value: unknown, place: LetterPlace) => Payload;
  readonly reporter?: Reporter;
  readonly clock?: Clock;
}

/** The node of a letter's value; the value of a compensation is `{ input, output }` of the node's step. */
export interface LetterPlace extends NodePlace {
  readonly isCompensation?: boolean;
}

/** The sinks that can be read. All workers but the first read those of their own memory only. */
export const deadLetterStoresOf = (
  sinks: readonly DeadLetterSink[],
  isFirst: boolean,
): readonly DeadLetterStore[] =>
  sinks.filter((sink): sink is DeadLetterStore => {
    const { list, get, remove, perProcess } = sink as Partial<DeadLetterStore>;
    const isReadable = [list, get, remove].every((call) => typeof call === "function");
    return isReadable && (isFirst || perProcess !== undefined);
  });

type Query = Static<typeof DeadLetterQuery>;
type Refused = Fault<InspectorFault>;
type RedrivenLetter = Static<typeof Redriven>["data"];

interface How {
  readonly by: Intervention;
  readonly options: RedriveOptions;
  began(run: BegunRun): void;
}
type DefaultedOptions = Required<Omit<DeadLettersOptions, "bus">> & Pick<DeadLettersOptions, "bus">;

const DEFAULTS = { capture: () => OFF, reporter: reportAsWarning, clock: systemClock };

interface Found {
  readonly store: DeadLetterStore;
  readonly letter: DeadLetter;
}

export class DeadLetters {
  readonly #options: DefaultedOptions;
  readonly #axons: ReadonlyMap<string, AxonDefinition>;

  constructor(options: DeadLettersOptions) {
    this.#options = { ...DEFAULTS, ...options };
    // Of two of one name the first, as in the Schematics.
    this.#axons = new Map([...options.axons].reverse().map((axon) => [axon.name, axon]));
  }

  /** True if other processes may have letters of their own. */
  get isPerProcess(): boolean {
    return this.#options.stores.some(({ perProcess }) => perProcess !== undefined);
  }

  async page(query: Query): Promise<Static<typeof Shown>["data"] | Refused> {
    const letters = await this.list(query);
    if (isFault(letters)) return letters;
    const counted = await this.count(query);
    // A page below the limit holds all letters, and one may have been removed between the two reads.
    const areAll = letters.length < (query.limit ?? DEFAULT_LIMIT);
    const total = counted === null ? (areAll ? letters.length : null) : Math.max(counted, letters.length);
    return { letters, total, workers_silent: 0 };
  }

  /** The oldest first, of all stores; without their inputs if `captures` is false. */
  async list(query: Query, captures = true): Promise<DeadLetterRow[] | Refused> {
    const { limit = DEFAULT_LIMIT } = query;
    return this.#asking(async () => {
      const filter = { limit, ...filterOf(query) };
      const lists = await Promise.all(this.#options.stores.map(async (store) => store.list(filter)));
      const letters = lists.flat().sort((a, b) => a.failed_at - b.failed_at);
      return letters.slice(0, limit).map((letter) => this.#rowOf(letter, captures));
    });
  }

  /** One letter without its input; undefined also if a store fails. */
  async find(id: string): Promise<DeadLetterRow | undefined> {
    const found = await this.#find(id);
    return isFault(found) ? undefined : this.#rowOf(found.letter, false);
  }

  /** Of all stores, whatever the limit; null if one of them has no count, or fails. */
  async count(query: Query): Promise<number | null> {
    const filter = filterOf(query);
    const counts = await Promise.all(
      this.#options.stores.map(async (store) => this.#asking(async () => store.count?.(filter))),
    );
    let total = 0;
    for (const count of counts) {
      // A store without types may return its database's text.
      if (typeof count !== "number" || !Number.isSafeInteger(count) || count < 0) return null;
      total += count;
    }
    return total;
  }

  /** False also if a store fails. */
  async has(id: string): Promise<boolean> {
    return !isFault(await this.#find(id));
  }

  /** Runs the circuit from the failed step, or the compensation again. On success the letter is removed. */
  async redrive(
    id: string,
    by = BY_PROGRAM,
    options: RedriveOptions = {},
  ): Promise<RedrivenLetter | Refused> {
    const found = await this.#find(id);
    if (isFault(found)) return found;
    const { letter } = found;
    const axon = this.#axons.get(letter.axon);
    if (axon === undefined)
      return inspectorFault("REDRIVE_IMPOSSIBLE", { detail: `No circuit '${letter.axon}' is mounted here` });
    let begun: BegunRun = {};
    const began = (run: BegunRun): void => {
      begun = run;
    };
    const redriving = this.#tried(found, axon, { by, began, options });
    const redriven = await withDeadline(this.#options.clock, redriving);
    if (redriven !== LATE) return redriven;
    return { ...placeIn(letter), result: "running", outcome: null, ...seenAsOf(begun) };
  }

  /** Never rejects. */
  async #tried(found: Found, axon: AxonDefinition, how: How): Promise<RedrivenLetter | Refused> {
    try {
      return await this.#redriven(found, axon, how);
    } catch (error) {
      // A FrameworkError says what the program lacks for a run that begins here. All else is the store's.
      if (!(error instanceof FrameworkError)) return this.#unavailable(error);
      return inspectorFault("REDRIVE_IMPOSSIBLE", { detail: error.message });
    }
  }

  async discard(id: string): Promise<DiscardedLetter | Refused> {
    const found = await this.#find(id);
    if (isFault(found)) return found;
    const { axon: circuit, node, run_id } = found.letter;
    const discarded = { circuit, node, run_id: isRunId(run_id) ? run_id : null };
    return this.#asking(async () => ((await found.store.remove(id)) ? discarded : unknown(id)));
  }

  async #redriven(
    { store, letter }: Found,
    axon: AxonDefinition,
    { by, began, options }: How,
  ): Promise<RedrivenLetter | Refused> {
    const { id } = letter;
    const place = placeIn(letter);
    const redriven = await redriveOn(store, id, axon, this.#options.bus?.(), by, options, began);
    switch (redriven.kind) {
      case "unknown":
        return unknown(id);
      case "unrecorded":
        return inspectorFault("ACTION_UNRECORDED", { headers: { "retry-after": "1" } });
      case "incomplete":
        return inspectorFault("DEAD_LETTER_INCOMPLETE", {
          detail: `Letter '${id}' lacks ${redriven.lost.join(", ")}, which could not be kept: discard it`,
        });
      case "would_skip":
        return inspectorFault("REDRIVE_WOULD_SKIP", {
          detail: `The run undid ${redriven.undone.join(", ")}. A re-drive would begin there, but ${redriven.reason}. With skip_undone=true it begins at '${letter.node}', and these stay undone`,
        });
      case "busy":
        return { ...place, result: "busy", outcome: null, trace_id: null, run_id: null };
      case "done": {
        return {
          ...place,
          result: "done",
          outcome: this.#shown(redriven.outcome, axon),
          ...seenAsOf(redriven),
        };
      }
      case "failed": {
        const error: unknown = isFault(redriven.outcome) ? redriven.outcome.error : redriven.outcome;
        return { ...place, result: "failed", outcome: faultReason(error), ...seenAsOf(redriven) };
      }
    }
  }

  /** The outcome of the whole circuit. */
  #shown(outcome: unknown, { name }: AxonDefinition): unknown {
    const payload = this.#options.capture(outcome, { circuit: name, node: egressId(axonId(name)) });
    return payload.kind === "full" ? payload.value : null;
  }

  async #find(id: string): Promise<Found | Refused> {
    return this.#asking(async () => {
      for (const store of this.#options.stores) {
        const letter = await store.get(id);
        if (letter !== undefined) return { store, letter };
      }
      return unknown(id);
    });
  }

  async #asking<T>(ask: () => Promise<T>): Promise<T | Refused> {
    try {
      return await ask();
    } catch (error) {
      return this.#unavailable(error);
    }
  }

  #unavailable(error: unknown): Refused {
    this.#options.reporter({
      code: "DEAD_LETTERS_UNREAD",
      message: "A store of dead letters could not be asked",
      error,
    });
    return inspectorFault("DEAD_LETTERS_UNAVAILABLE", { headers: { "retry-after": "1" } });
  }

  #rowOf(letter: DeadLetter, captures: boolean): DeadLetterRow {
    const { id, kind, axon, version, node, failed_at, attempts, error, input, undone, timeline, labels } =
      letter;
    const { code, title, detail } = faultReason(error);
    return {
      id,
      kind,
      circuit: axon,
      version,
      node,
      label: node.slice(node.lastIndexOf("/") + 1),
      failed_at,
      attempts,
      trace_id: traceIdOf(letter),
      run_id: isRunId(letter.run_id) ? letter.run_id : null,
      ...(labels && { labels }),
      error: { code, title: detail === null ? title : `${title}: ${detail}` },
      input: captures ? this.#options.capture(input, placeOf(letter)) : OFF,
      undone: undone.map((each) => each.node),
      events: (timeline?.events ?? []).map((event) => ({ ...event })),
    };
  }
}

const filterOf = ({ circuit, node }: Query): DeadLetterFilter => ({
  ...(circuit !== undefined && { axon: circuit }),
  ...(node !== undefined && { node }),
});

const traceIdOf = ({ trace }: Pick<DeadLetter, "trace">): string | null =>
  isTraceMark(trace) ? trace.trace_id : null;

const placeIn = ({ id, axon, node }: DeadLetter) => ({ id, circuit: axon, node });

const seenAsOf = (run: BegunRun) => ({ trace_id: traceIdOf(run), run_id: run.runId ?? null });

const placeOf = ({ axon, node, kind }: DeadLetter): LetterPlace => ({
  circuit: axon,
  node,
  isCompensation: kind === "compensation",
});

const unknown = (id: string): Refused =>
  inspectorFault("DEAD_LETTER_UNKNOWN", { detail: `There is no dead letter '${id}'` });

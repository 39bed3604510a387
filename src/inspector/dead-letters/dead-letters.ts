// Dead letters of the mounted circuits: list, re-drive, discard.
//
//   DR1. A letter is re-driven by the circuit of its name that is mounted here, or not at
//        all: then it stays.
//   DR2. A store's failure is answered, and reported; it is no letter that is not there.

import type { Static, TSchema } from "@sinclair/typebox";

import type { Bus } from "#core/bus.js";
import type { DeadLetter, DeadLetterStore } from "#core/dead-letter.js";
import { FrameworkError } from "#core/errors.js";
import { type Fault, isFault } from "#core/outcome.js";
import { type Reporter, reportAsWarning } from "#core/reporter.js";
import { namesOf, requireKnown } from "#http/known-options.js";
import type { AxonDefinition } from "#runtime/axon-definition.js";
import { axonId, egressId } from "#runtime/node-id.js";
import { redriveOn } from "#runtime/redrive.js";
import type { DeadLetterQuery, DeadLetterRow, Redriven } from "../api/dead-letters.js";
import type { Payload } from "../api/traces.js";
import { type InspectorFault, inspectorFault } from "../fault.js";
import type { NodePlace } from "../node-place.js";
import { faultReason } from "../traces/fault-reason.js";

export interface DeadLettersOptions {
  readonly stores: readonly DeadLetterStore[];
  /** What is mounted. */
  readonly axons: readonly AxonDefinition[];
  /** What the steps of a re-driven run find on the Bus, beside what the run itself writes. Default: nothing. */
  readonly bus?: () => Bus;
  /** What an operator sees of an input and of what a re-drive answers. Default: nothing. */
  readonly capture?: (value: unknown, schema: TSchema | undefined, place: NodePlace) => Payload;
  /** The input schema of a node. */
  readonly schemaOf?: (circuit: string, node: string) => TSchema | undefined;
  /** What a node is called. Default: the last part of its id. */
  readonly labelOf?: (node: string) => string;
  readonly reporter?: Reporter;
}

const OPTIONS = namesOf<DeadLettersOptions>({
  stores: true,
  axons: true,
  bus: true,
  capture: true,
  schemaOf: true,
  labelOf: true,
  reporter: true,
});

type Refused = Fault<InspectorFault>;
type RedrivenLetter = Static<typeof Redriven>["data"];

interface Found {
  readonly store: DeadLetterStore;
  readonly letter: DeadLetter;
}

export class DeadLetters {
  readonly #stores: readonly DeadLetterStore[];
  readonly #axons: ReadonlyMap<string, AxonDefinition>;
  readonly #bus: () => Bus | undefined;
  readonly #capture: NonNullable<DeadLettersOptions["capture"]>;
  readonly #schemaOf: NonNullable<DeadLettersOptions["schemaOf"]>;
  readonly #labelOf: (node: string) => string;
  readonly #reporter: Reporter;

  constructor(options: DeadLettersOptions) {
    requireKnown("the dead letters", options, OPTIONS);
    this.#stores = options.stores;
    // Of two of one name the first: as where they are drawn.
    this.#axons = new Map([...options.axons].reverse().map((axon) => [axon.name, axon]));
    this.#bus = options.bus ?? (() => undefined);
    this.#capture = options.capture ?? (() => ({ kind: "off" }));
    this.#schemaOf = options.schemaOf ?? (() => undefined);
    this.#labelOf = options.labelOf ?? ((node) => node.slice(node.lastIndexOf("/") + 1));
    this.#reporter = options.reporter ?? reportAsWarning;
  }

  /** The oldest first, of all stores. */
  async list({
    circuit,
    node,
    limit = 100,
  }: Static<typeof DeadLetterQuery>): Promise<readonly DeadLetterRow[] | Refused> {
    return this.#asking(async () => {
      const filter = {
        limit,
        ...(circuit !== undefined && { axon: circuit }),
        ...(node !== undefined && { node }),
      };
      const lists = await Promise.all(this.#stores.map(async (store) => store.list(filter)));
      const letters = lists.flat().sort((a, b) => a.failed_at - b.failed_at);
      return letters.slice(0, limit).map((letter) => this.#rowOf(letter));
    });
  }

  /** Runs the circuit from the step that failed, or the compensation again. Where that succeeds the letter is gone. */
  async redrive(id: string): Promise<RedrivenLetter | Refused> {
    const found = await this.#find(id);
    if (isFault(found)) return found;
    const { store, letter } = found;
    const axon = this.#axons.get(letter.axon);
    if (axon === undefined)
      return inspectorFault("REDRIVE_IMPOSSIBLE", { detail: `No circuit '${letter.axon}' is mounted here` });
    try {
      return await this.#redriven(store, id, axon);
    } catch (error) {
      // What a program got wrong for a run that begins here: keys, nodes. All else is the store.
      if (!(error instanceof FrameworkError)) return this.#unavailable(error);
      return inspectorFault("REDRIVE_IMPOSSIBLE", { detail: error.message });
    }
  }

  /** The letter is gone, and its work is not done. */
  async discard(id: string): Promise<Refused | undefined> {
    const found = await this.#find(id);
    if (isFault(found)) return found;
    return this.#asking(async () => ((await found.store.remove(id)) ? undefined : unknown(id)));
  }

  async #redriven(
    store: DeadLetterStore,
    id: string,
    axon: AxonDefinition,
  ): Promise<RedrivenLetter | Refused> {
    const redriven = await redriveOn(store, id, axon, this.#bus());
    switch (redriven.kind) {
      case "unknown":
        return unknown(id);
      case "busy":
        return { id, result: "busy", outcome: null };
      case "done":
        return { id, result: "done", outcome: this.#shown(redriven.outcome, axon) };
      case "failed": {
        const error: unknown = isFault(redriven.outcome) ? redriven.outcome.error : redriven.outcome;
        return { id, result: "failed", outcome: faultReason(error) };
      }
    }
  }

  /** What the whole circuit answered. */
  #shown(outcome: unknown, { name, output }: AxonDefinition): unknown {
    const payload = this.#capture(outcome, output, { circuit: name, node: egressId(axonId(name)) });
    return payload.kind === "full" ? payload.value : null;
  }

  async #find(id: string): Promise<Found | Refused> {
    return this.#asking(async () => {
      for (const store of this.#stores) {
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
    this.#reporter({
      code: "DEAD_LETTERS_UNREAD",
      message: "A store of dead letters could not be asked",
      error,
    });
    return inspectorFault("DEAD_LETTERS_UNAVAILABLE", { headers: { "retry-after": "1" } });
  }

  #rowOf(letter: DeadLetter): DeadLetterRow {
    const { id, kind, axon, version, node, failed_at, attempts, error, input, undone, timeline } = letter;
    const { code, title, detail } = faultReason(error);
    // A compensation gets its step's input and output, which the step's schema does not describe.
    const schema = kind === "step" ? this.#schemaOf(axon, node) : undefined;
    return {
      id,
      kind,
      circuit: axon,
      version,
      node,
      label: this.#labelOf(node),
      failed_at,
      attempts,
      error: { code, title: detail === null ? title : `${title}: ${detail}` },
      input: this.#capture(input, schema, { circuit: axon, node }),
      undone: undone.map((each) => each.node),
      events: (timeline?.events ?? []).map((event) => ({ ...event })),
    };
  }
}

const unknown = (id: string): Refused =>
  inspectorFault("DEAD_LETTER_UNKNOWN", { detail: `There is no dead letter '${id}'` });

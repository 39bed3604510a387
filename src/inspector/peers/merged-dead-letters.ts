// The dead letters of a service. Only the first worker reads a store that processes share. Letters
// in the memory of a process are listed and re-driven in that process.

import { type Static, Type } from "@sinclair/typebox";

import { type Fault, isFault } from "#core/bus/outcome.js";
import type { Intervention } from "#runtime/run/intervention.js";
import {
  type DeadLetterQuery,
  DeadLetterRow,
  DiscardedLetter,
  Redriven,
  type DeadLetters as Shown,
} from "../api/dead-letters.js";
import type { InspectorFault } from "../api/fault.js";
import { Count, orNull } from "../api/shapes.js";
import type { DeadLetters } from "../dead-letters/dead-letters.js";
import { type CutList, cutListOf, cutOnes, halved, whole } from "./cut-list.js";
import { type Passed, passed, passedOf } from "./fault-envelope.js";
import { callOwner, type OwnerCall } from "./owner-call.js";
import { USER_WAIT_MS, WORK_WAIT_MS } from "./peer-timeouts.js";
import type { Peers } from "./peers.js";
import { subject } from "./subject.js";

const DEFAULT_LIMIT = 100;

type Refused = Fault<InspectorFault>;
type Part = Passed<Letters>;
type Query = Static<typeof DeadLetterQuery>;
type RedrivenLetter = Static<typeof Redriven>["data"];

interface Letters extends CutList<DeadLetterRow> {
  /** Number of letters in the process; null if unknown. */
  readonly total: number | null;
}

const LIST = subject<Part>(
  "dead letters",
  passedOf(Type.Composite([cutListOf(DeadLetterRow), Type.Object({ total: orNull(Count) })])),
);
const HAS = subject<true>("dead letter", Type.Literal(true));
const REDRIVE = subject<Passed<RedrivenLetter>>("redrive", passedOf(Redriven.properties.data));
const DISCARD = subject<Passed<DiscardedLetter>>("discard", passedOf(DiscardedLetter));

interface Redrive {
  readonly id: string;
  readonly actor: string;
  /** Missing in a message of an earlier build. */
  readonly skipUndone?: boolean;
}

export interface MergedDeadLettersOptions {
  /** All letters that this process can read. */
  readonly own: DeadLetters;
  /** The letters that only this process can read; undefined without such a store. */
  readonly inMemory: DeadLetters | undefined;
  readonly peers: Peers | undefined;
  /** Default: interventions are recorded by the letters' Axons. */
  readonly by?: (actor: string) => Intervention;
}

export class MergedDeadLetters {
  readonly #own: DeadLetters;
  readonly #by: (actor: string) => Intervention;
  /** Undefined if no other process has letters of its own. */
  readonly #peers: Peers | undefined;

  /** Also serves the peers' requests about the letters in this process's memory. */
  constructor({ own, inMemory, peers, by = byActor }: MergedDeadLettersOptions) {
    this.#own = own;
    this.#by = by;
    if (inMemory === undefined || peers === undefined) return;
    this.#peers = peers;
    const part = async (query: unknown): Promise<Part> => {
      const letters = await lettersOf(inMemory, query as Query);
      return passed(letters);
    };
    peers.answers(LIST.about, part, (answer) => lessOf(answer as Part));
    peers.answers(HAS.about, async (id) => ((await inMemory.has(id as string)) ? true : null));
    peers.answers(REDRIVE.about, async (given) => {
      const { id, actor, skipUndone = false } = given as Redrive;
      return passed(await inMemory.redrive(id, by(actor), { skipUndone }));
    });
    peers.answers(DISCARD.about, async (id) => passed(await inMemory.discard(id as string)));
  }

  /** Letters of all processes, the oldest first. */
  async list(query: Query): Promise<Static<typeof Shown>["data"] | Refused> {
    const [own, asked] = await Promise.all([
      lettersOf(this.#own, query),
      this.#peers?.askAll(LIST, query, { waitMs: USER_WAIT_MS }),
    ]);
    if (isFault(own)) return own;
    const answers = (asked?.answers ?? []).map(({ value }) => value);
    const parts = answers.flatMap((answer) => (answer.kind === "done" ? [answer.value] : []));
    const all = [own, ...parts];
    const failed = answers.length - parts.length;
    const unheard = (asked?.silent ?? 0) + failed;
    return {
      letters: all
        .flatMap(({ rows }) => rows)
        .sort((one, other) => one.failed_at - other.failed_at)
        .slice(0, query.limit ?? DEFAULT_LIMIT),
      // Unknown while a worker is silent.
      total: unheard > 0 ? null : totalOf(all),
      workers_silent: unheard + cutOnes(parts),
    };
  }

  async redrive(id: string, actor: string, skipUndone = false): Promise<RedrivenLetter | Refused> {
    const own = await this.#own.redrive(id, this.#by(actor), { skipUndone });
    if (!isFault(own)) return own;
    const input: Redrive = { id, actor, skipUndone };
    return this.#elsewhere({ does: REDRIVE, input, waitMs: WORK_WAIT_MS }, id, own);
  }

  async discard(id: string): Promise<DiscardedLetter | Refused> {
    const own = await this.#own.discard(id);
    if (!isFault(own)) return own;
    return this.#elsewhere({ does: DISCARD, input: id, waitMs: USER_WAIT_MS }, id, own);
  }

  async #elsewhere<T>(errand: Omit<OwnerCall<T>, "has" | "id" | "steers">, id: string, own: Refused) {
    if (this.#peers === undefined || own.error.code !== "DEAD_LETTER_UNKNOWN") return own;
    return callOwner(this.#peers, { ...errand, has: HAS, id, steers: true }, own);
  }
}

const byActor = (actor: string): Intervention => ({ actor });

const totalOf = (all: readonly Letters[]): number | null =>
  all.reduce<number | null>((sum, { total }) => (sum === null || total === null ? null : sum + total), 0);

async function lettersOf(letters: DeadLetters, query: Query): Promise<Letters | Refused> {
  const rows = await letters.list(query);
  if (isFault(rows)) return rows;
  const counted = await letters.count(query);
  // A page below the limit holds all letters.
  const areAll = rows.length < (query.limit ?? DEFAULT_LIMIT);
  // A letter may have been removed between the two reads.
  const total = counted === null ? null : Math.max(counted, rows.length);
  return { ...whole(rows), total: total ?? (areAll ? rows.length : null) };
}

/**
 * Shortens a list: first without the events before each failure, its largest part, then to the
 * older half.
 */
function lessOf(answer: Part): Part | undefined {
  if (answer.kind === "refused") return undefined;
  const { rows, isCut, total } = answer.value;
  const less = rows.some(({ events }) => events.length > 0)
    ? { rows: rows.map((row) => ({ ...row, events: [] })), isCut }
    : halved(answer.value);
  return less && { kind: "done", value: { ...less, total } };
}

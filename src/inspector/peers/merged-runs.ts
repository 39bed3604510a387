// The stored runs of a service. Only the first worker reads a store that processes share. Runs in
// the memory of a process are listed and resumed in that process.

import { type Static, Type } from "@sinclair/typebox";

import { type Fault, isFault } from "#core/bus/outcome.js";
import type { Intervention } from "#runtime/run/intervention.js";
import type { InspectorFault } from "../api/fault.js";
import {
  CancelledRun,
  type CancelRequest,
  KeptRun,
  ResumedRun,
  type ResumeRequest,
  type UnfinishedQuery,
  UnfinishedRuns,
} from "../api/runs.js";
import type { KeptRuns } from "../runs/kept-runs.js";
import { type Passed, passed, passedOf } from "./fault-envelope.js";
import { callOwner, type OwnerCall } from "./owner-call.js";
import { USER_WAIT_MS, WORK_WAIT_MS } from "./peer-timeouts.js";
import type { Peers } from "./peers.js";
import { subject } from "./subject.js";

const DEFAULT_LIMIT = 100;

type Refused = Fault<InspectorFault>;
type Unfinished = Static<typeof UnfinishedRuns>["data"];
type Cancelled = Static<typeof CancelledRun>["data"];
type Resumed = Static<typeof ResumedRun>["data"];

const UNFINISHED = subject<Unfinished["runs"]>(
  "unfinished runs",
  UnfinishedRuns.properties.data.properties.runs,
);
const HAS = subject<true>("kept run", Type.Literal(true));
const SHOW = subject<Passed<KeptRun>>("show run", passedOf(KeptRun));
const CANCEL = subject<Passed<Cancelled>>("cancel run", passedOf(CancelledRun.properties.data));
const RESUME = subject<Passed<Resumed>>("resume run", passedOf(ResumedRun.properties.data));

interface Cancellation {
  readonly id: string;
  readonly request: CancelRequest;
  readonly actor: string;
}

interface Resumption {
  readonly id: string;
  readonly request: ResumeRequest;
  readonly actor: string;
}

const byActor = (actor: string): Intervention => ({ actor });

export interface MergedRunsOptions {
  /** All runs that this process can read. */
  readonly own: KeptRuns;
  /** The runs in stores that only this process can read. */
  readonly inMemory: KeptRuns;
  readonly peers: Peers | undefined;
  /** Default: interventions are recorded by the runs' Axons. */
  readonly by?: (actor: string) => Intervention;
}

export class MergedRuns {
  readonly #own: KeptRuns;
  readonly #by: (actor: string) => Intervention;
  /** Undefined if no other process has runs of its own. */
  readonly #peers: Peers | undefined;

  /** Also serves the peers' requests about the runs in this process's memory. */
  constructor({ own, inMemory, peers, by = byActor }: MergedRunsOptions) {
    this.#own = own;
    this.#by = by;
    if (!inMemory.isKept || peers === undefined) return;
    this.#peers = peers;
    peers.answers(UNFINISHED.about, (query) => inMemory.unfinished(query as UnfinishedQuery));
    peers.answers(HAS.about, async (id) => ((await inMemory.has(id as string)) ? true : null));
    peers.answers(SHOW.about, async (id) => passed(await inMemory.show(id as string)));
    peers.answers(RESUME.about, async (given) => {
      const { id, request, actor } = given as Resumption;
      return passed(await inMemory.resume(id, request, by(actor)));
    });
    peers.answers(CANCEL.about, async (given) => {
      const { id, request, actor } = given as Cancellation;
      return passed(await inMemory.cancel(id, request, by(actor)));
    });
  }

  /** True if at least one Axon stores its runs. */
  get isKept(): boolean {
    return this.#own.isKept;
  }

  /** Runs of all processes, the earliest start first. */
  async unfinished(query: UnfinishedQuery): Promise<Unfinished> {
    const [own, asked] = await Promise.all([
      this.#own.unfinished(query),
      this.#peers?.askAll(UNFINISHED, query, { waitMs: USER_WAIT_MS }),
    ]);
    const others = (asked?.answers ?? []).flatMap(({ value }) => value);
    return {
      runs: [...own, ...others]
        .sort((one, other) => one.began_at - other.began_at)
        .slice(0, query.limit ?? DEFAULT_LIMIT),
      workers_silent: asked?.silent ?? 0,
    };
  }

  async show(id: string): Promise<KeptRun | Refused> {
    const own = await this.#own.show(id);
    if (!isFault(own)) return own;
    return this.#elsewhere({ does: SHOW, input: id, waitMs: USER_WAIT_MS, steers: false }, id, own);
  }

  async resume(id: string, request: ResumeRequest, actor: string): Promise<Resumed | Refused> {
    const own = await this.#own.resume(id, request, this.#by(actor));
    if (!isFault(own)) return own;
    const input: Resumption = { id, request, actor };
    return this.#elsewhere({ does: RESUME, input, waitMs: WORK_WAIT_MS, steers: true }, id, own);
  }

  async cancel(id: string, request: CancelRequest, actor: string): Promise<Cancelled | Refused> {
    const own = await this.#own.cancel(id, request, this.#by(actor));
    if (!isFault(own)) return own;
    const input: Cancellation = { id, request, actor };
    return this.#elsewhere({ does: CANCEL, input, waitMs: WORK_WAIT_MS, steers: true }, id, own);
  }

  async #elsewhere<T>(errand: Omit<OwnerCall<T>, "has" | "id">, id: string, own: Refused) {
    if (this.#peers === undefined || own.error.code !== "KEPT_RUN_UNKNOWN") return own;
    return callOwner(this.#peers, { ...errand, has: HAS, id }, own);
  }
}

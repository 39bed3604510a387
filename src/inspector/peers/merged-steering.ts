// The breakpoints of a service and the runs held in any of its processes. Without peers, those of
// this process.

import { type Static, Type } from "@sinclair/typebox";
import { type Fault, isFault } from "#core/bus/outcome.js";
import { type Clock, systemClock } from "#core/clock.js";
import {
  Breakpoint,
  type BreakpointChange,
  type Breakpoints,
  type NewBreakpoint,
  type PausedRuns,
  type Released,
} from "../api/breakpoints.js";
import { type InspectorFault, inspectorFault } from "../api/fault.js";
import { type Data, Name } from "../api/shapes.js";
import type { Steering } from "../breakpoints/steering.js";
import { USER_WAIT_MS } from "./peer-timeouts.js";
import type { AskOptions, Peers } from "./peers.js";
import { BreakpointMirror, BreakpointSource, type Revision, RevisionShape } from "./shared-breakpoints.js";
import { type Subject, subject } from "./subject.js";

const MAX_SNAPSHOTS = 10;

type Refused = Fault<InspectorFault>;
type Snapshots = Breakpoint["snapshots"];
type ReleasedRun = Static<typeof Released>["data"];

/** The snapshots of a process, by breakpoint; breakpoints without snapshots are left out. */
interface Kept extends Revision {
  readonly snapshots: readonly (readonly [string, Snapshots])[];
  /** True if snapshots are missing here because of the message's bound. */
  readonly isCut: boolean;
}

const SNAPSHOTS = subject<Kept>(
  "breakpoint snapshots",
  Type.Object({
    ...RevisionShape.properties,
    snapshots: Type.Array(Type.Tuple([Name, Breakpoint.properties.snapshots])),
    isCut: Type.Boolean(),
  }),
);
const RUN = subject<string>("run of a hold", Name);
/** Replaces the held input; without the member the input stays. */
interface Edit {
  readonly input?: unknown;
}

/** Access to the other processes. */
export interface SteeringPeers {
  readonly peers: Peers;
  /** True in the worker that receives the operators' requests. */
  readonly isFirst: boolean;
}

export class MergedSteering {
  readonly #own: Steering;
  readonly #peers: Peers | undefined;
  readonly #source: BreakpointSource | undefined;
  readonly #mirror: BreakpointMirror | undefined;

  /** Also serves the peers' requests about the runs that this process holds. */
  constructor(own: Steering, others: SteeringPeers | undefined, clock: Clock = systemClock) {
    this.#own = own;
    if (others === undefined) return;
    const { peers, isFirst } = others;
    const shared = { steering: own, peers, clock };
    this.#peers = peers;
    if (isFirst) this.#source = new BreakpointSource(shared);
    else this.#mirror = new BreakpointMirror(shared);
    peers.answers(SNAPSHOTS.about, (id) => (own.isClosed ? null : this.#kept(id as string | null)), lessKept);
    peers.answers(RUN.about, (id) => own.runOf(id as string) ?? null);
  }

  /** Fetches the breakpoints. Called when the server listens. */
  async begin(): Promise<void> {
    await this.#source?.begin();
    await this.#mirror?.begin();
  }

  async list(): Promise<Static<typeof Breakpoints>["data"]> {
    const { breakpoints } = this.#own;
    const { kept, silent } = await this.#keptElsewhere(null);
    return {
      breakpoints: breakpoints.list().map((shown) => withSnapshots(shown, kept)),
      limit: breakpoints.maxBreakpoints,
      workers_silent: silent,
    };
  }

  async get(id: string): Promise<Breakpoint | Refused> {
    const shown = this.#own.breakpoints.get(id);
    if (shown === undefined)
      return inspectorFault("BREAKPOINT_UNKNOWN", { detail: `There is no breakpoint '${id}'` });
    return withSnapshots(shown, (await this.#keptElsewhere(id)).kept);
  }

  /** Resolves when each process has the breakpoint or has timed out. */
  async set(breakpoint: NewBreakpoint): Promise<Breakpoint | Refused> {
    await this.#source?.ready;
    if (this.#own.isClosed) return stopping();
    const set = this.#own.breakpoints.set(breakpoint);
    if (!isFault(set)) await this.#source?.tell();
    return set;
  }

  async change(id: string, change: BreakpointChange): Promise<Breakpoint | Refused> {
    await this.#source?.ready;
    if (this.#own.isClosed) return stopping();
    const changed = this.#own.breakpoints.change(id, change);
    if (!isFault(changed)) await this.#source?.tell();
    return changed;
  }

  async remove(id: string): Promise<Refused | undefined> {
    await this.#source?.ready;
    if (this.#own.isClosed) return stopping();
    const refused = this.#own.remove(id);
    if (refused === undefined) await this.#source?.tell();
    return refused;
  }

  /** The runs that this process holds, the longest hold first. */
  paused(): Data<typeof PausedRuns> {
    return { paused: this.#own.paused(), limit: this.#own.maxHeld, workers_silent: 0 };
  }

  /** The node of a breakpoint; undefined for an unknown one. */
  async nodeOf(id: string): Promise<string | undefined> {
    await this.#source?.ready;
    return this.#own.breakpoints.get(id)?.node_id;
  }

  /** The run of a hold; undefined if no process that responds has it. */
  async runOf(id: string): Promise<string | undefined> {
    return this.#own.runOf(id) ?? (await this.#ask(RUN, id, { first: true, steers: true })).answers[0];
  }

  /** Of a run that this process holds. */
  release(id: string, how: ReleasedRun["how"], edit: Edit): ReleasedRun | Refused {
    return how === "abort" ? this.#own.abort(id) : this.#own[how](id, edit);
  }

  #kept(id: string | null): Kept {
    const { breakpoints } = this.#own;
    const asked = breakpoints.list().filter((shown) => id === null || shown.id === id);
    return {
      ...(this.#mirror?.revision ?? { source: "", revision: 0 }),
      snapshots: asked.filter((shown) => shown.snapshots.length > 0).map((s) => [s.id, s.snapshots]),
      isCut: false,
    };
  }

  async #keptElsewhere(id: string | null) {
    const { answers: given, silent } = await this.#ask(SNAPSHOTS, id);
    this.#source?.noteRevisions(given);
    return {
      kept: given.flatMap(({ snapshots }) => snapshots),
      silent: silent + given.filter(({ isCut }) => isCut).length,
    };
  }

  async #ask<T>(about: Subject<T>, input: unknown, options: AskOptions = {}) {
    const asked = await this.#peers?.askAll(about, input, { waitMs: USER_WAIT_MS, ...options });
    return { answers: (asked?.answers ?? []).map(({ value }) => value), silent: asked?.silent ?? 0 };
  }
}

const stopping = (): Refused =>
  inspectorFault("BREAKPOINTS_CLOSED", {
    detail: "This worker has let its breakpoints go: ask again",
    headers: { "retry-after": "1" },
  });

/** Shortens a list of snapshots: the newest of each breakpoint, then the first half. */
function lessKept(answer: unknown): Kept | undefined {
  const { snapshots, ...kept } = answer as Kept;
  const [only] = snapshots;
  if (only === undefined) return undefined;
  if (snapshots.length === 1 && only[1].length > 1)
    return { ...kept, snapshots: [[only[0], only[1].slice(0, only[1].length / 2)]] };
  if (snapshots.some(([, ofOne]) => ofOne.length > 1))
    return { ...kept, snapshots: snapshots.map(([id, ofOne]) => [id, ofOne.slice(0, 1)]) };
  return { ...kept, snapshots: snapshots.slice(0, snapshots.length / 2), isCut: true };
}

/** Merges the snapshots of all processes, the newest first. */
function withSnapshots(shown: Breakpoint, kept: Kept["snapshots"]): Breakpoint {
  const others = kept.flatMap(([id, snapshots]) => (id === shown.id ? snapshots : []));
  if (others.length === 0) return shown;
  const snapshots = [...shown.snapshots, ...others].sort((one, other) => other.at - one.at);
  return { ...shown, snapshots: snapshots.slice(0, MAX_SNAPSHOTS) };
}

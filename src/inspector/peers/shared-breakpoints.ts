// Keeps the breakpoints of all workers equal. The first worker receives them from operators and
// sends them to the others. The others hold runs by them and report their hits.

import { Type } from "@sinclair/typebox";

import type { Clock } from "#core/clock.js";
import { Breakpoint } from "../api/breakpoints.js";
import { Count } from "../api/shapes.js";
import type { ToldBreakpoint } from "../breakpoints/breakpoint.js";
import type { Steering } from "../breakpoints/steering.js";
import { USER_WAIT_MS } from "./peer-timeouts.js";
import type { Peers } from "./peers.js";
import { type Subject, subject } from "./subject.js";

const TELL_MS = 50;
const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 50;
const TELLS = 6;
const TELL_AGAIN_MS = 250;

/** The version of the breakpoints that a process has. */
export interface Revision {
  /** The id of the process that sent it; empty if none did. */
  readonly source: string;
  readonly revision: number;
}

interface State extends Revision {
  readonly breakpoints: readonly ToldBreakpoint[];
}

interface Counts {
  readonly id: string;
  hits: number;
  let_through: number;
}

export const RevisionShape = Type.Object({ source: Type.String(), revision: Count });
const StateShape = Type.Object({
  ...RevisionShape.properties,
  breakpoints: Type.Array(Type.Object({ ...Breakpoint.properties, generation: Count })),
});

const SET = subject<true>("breakpoints set", Type.Literal(true));
const ASK_FIRST = subject<State>("breakpoints", StateShape);
const ASK_MIRROR = subject<State>("breakpoints mirrored", StateShape);
const HITS = subject<readonly Counts[]>(
  "breakpoint hits",
  Type.Array(Type.Object({ id: Type.String(), hits: Count, let_through: Count })),
);

export interface SharedBreakpointsOptions {
  readonly steering: Steering;
  readonly peers: Peers;
  readonly clock: Clock;
}

/** Repeats the question in growing pauses until a process responds with a value, or all respond with null. */
async function asked(
  { peers, clock }: SharedBreakpointsOptions,
  about: Subject<State>,
): Promise<readonly State[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const { answers, silent } = await peers.askAll(about, null, { steers: true });
    if (answers.length > 0 || silent === 0) return answers.map(({ value }) => value);
    await new Promise<void>((resolve) => {
      clock.after(FIRST_PAUSE_MS * 2 ** attempt, resolve);
    });
  }
  return [];
}

/** Runs in the first worker. */
export class BreakpointSource {
  readonly #steering: Steering;
  readonly #peers: Peers;
  readonly #options: SharedBreakpointsOptions;
  #revision = 0;
  #cancelTelling: () => void = () => {};
  /** True once it has taken over the previous breakpoints: until then it sends nothing. */
  #isReady = false;
  /** Resolves when `#isReady` becomes true. */
  readonly ready: Promise<void>;
  #setReady: () => void = () => {};

  constructor(options: SharedBreakpointsOptions) {
    const { steering, peers } = options;
    this.ready = new Promise((resolve) => {
      this.#setReady = resolve;
    });
    this.#options = options;
    this.#steering = steering;
    this.#peers = peers;
    peers.answers(ASK_FIRST.about, () => (this.#isReady && !steering.isClosed ? this.#state() : null));
    peers.hears(HITS, (given) => this.#count(given));
    steering.breakpoints.onCount((id) => {
      if (steering.breakpoints.get(id)?.enabled === false) void this.tell();
    });
  }

  /** Sends the breakpoints again if a process missed the latest version. */
  noteRevisions(known: readonly Revision[]): void {
    if (this.#isReady && known.some((one) => this.#isOther(one))) void this.tell();
  }

  #isOther({ source, revision }: Revision): boolean {
    // A process without a version is up to date while nothing was sent.
    if (source === "") return this.#revision > 0;
    return source !== this.#peers.id || revision !== this.#revision;
  }

  /** Takes over the other workers' breakpoints, if there was another first worker before. */
  async begin(): Promise<void> {
    const known = await asked(this.#options, ASK_MIRROR);
    const [newest] = [...known].sort((one, other) => other.revision - one.revision);
    try {
      this.#steering.adopt(newest?.breakpoints ?? []);
    } catch {
      // Breakpoints of a build that this one cannot read are dropped.
    }
    this.#revision = Math.max(this.#revision, newest?.revision ?? 0);
    this.#isReady = true;
    this.#setReady();
    if (newest !== undefined) await this.tell();
  }

  /**
   * Resolves when all other processes have the version or have timed out. Those that timed out get
   * it again.
   */
  async tell(): Promise<void> {
    if (this.#steering.isClosed) return;
    this.#revision += 1;
    this.#cancelTelling();
    await this.#tellFor(TELLS);
  }

  async #tellFor(times: number): Promise<void> {
    const revision = this.#revision;
    const { silent } = await this.#peers.askAll(SET, this.#state(), { waitMs: USER_WAIT_MS, steers: true });
    if (silent === 0 || times <= 1 || revision !== this.#revision) return;
    this.#cancelTelling = this.#options.clock.after(TELL_AGAIN_MS * 2 ** (TELLS - times), () => {
      if (!this.#steering.isClosed && !this.#peers.isClosed) void this.#tellFor(times - 1);
    });
  }

  #state(): State {
    const { breakpoints } = this.#steering;
    return { source: this.#peers.id, revision: this.#revision, breakpoints: breakpoints.state() };
  }

  #count(counts: readonly Counts[]): void {
    const { breakpoints } = this.#steering;
    let isOver = false;
    for (const { id, hits, let_through } of counts)
      if (breakpoints.countElsewhere(id, hits, let_through)) isOver = true;
    if (isOver) void this.tell();
  }
}

/** Runs in each other worker. */
export class BreakpointMirror {
  readonly #steering: Steering;
  readonly #peers: Peers;
  readonly #clock: Clock;
  readonly #options: SharedBreakpointsOptions;
  #source = "";
  #revision = 0;
  #untold = new Map<string, Counts>();
  #isTelling = false;

  constructor(options: SharedBreakpointsOptions) {
    const { steering, peers, clock } = options;
    this.#options = options;
    this.#steering = steering;
    this.#peers = peers;
    this.#clock = clock;
    peers.answers(SET.about, (state) => {
      // Counts as failed: the first worker sends the state again.
      if (!ASK_FIRST.fits(state)) throw new TypeError("Breakpoints of another build");
      return this.#adopt(state);
    });
    peers.answers(ASK_MIRROR.about, () => this.#state());
    steering.breakpoints.onCount((id, what) => this.#count(id, what));
  }

  get revision(): Revision {
    return { source: this.#source, revision: this.#revision };
  }

  /** Never rejects. */
  async begin(): Promise<void> {
    for (const state of await asked(this.#options, ASK_FIRST))
      try {
        this.#adopt(state);
      } catch {
        // State of a build that this one cannot read: the present breakpoints stay.
      }
  }

  /** Null if it never received a state. */
  #state(): State | null {
    if (this.#source === "" || this.#steering.isClosed) return null;
    return { ...this.revision, breakpoints: this.#steering.breakpoints.state() };
  }

  /** Confirms that the state was adopted. */
  #adopt({ source, revision, breakpoints }: State): true {
    if (source === this.#source && revision <= this.#revision) return true;
    this.#steering.adopt(breakpoints);
    // After the adoption: a process that could not read the state must not confirm it.
    this.#source = source;
    this.#revision = revision;
    return true;
  }

  /** The first hit is reported at once, those that follow are batched. */
  #count(id: string, what: "hits" | "let_through"): void {
    const counts = this.#untold.get(id) ?? { id, hits: 0, let_through: 0 };
    counts[what] += 1;
    this.#untold.set(id, counts);
    if (!this.#isTelling) this.#tell();
  }

  #tell(): void {
    this.#isTelling = this.#untold.size > 0;
    if (!this.#isTelling) return;
    this.#peers.tell(HITS.about, [...this.#untold.values()]);
    this.#untold = new Map();
    this.#clock.after(TELL_MS, () => this.#tell());
  }
}

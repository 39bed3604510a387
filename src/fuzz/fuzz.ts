// Sends generated requests to every route, in rounds of one request for each route. A new application
// is started every few rounds, so that few requests precede a failure.

import { randomInt } from "node:crypto";

import { FrameworkError } from "#core/errors.js";
import type { FuzzedApplication } from "./application.js";
import { BegunApplication, type Exchanged, type Limits } from "./begun-application.js";
import { NOBODY } from "./fuzz-identity.js";
import type { FuzzRequest } from "./fuzz-request.js";
import type { FuzzedRoute } from "./fuzzed-route.js";
import type { LoopWatch } from "./loop-watch.js";
import { loadFastCheck, reduced } from "./reduction.js";
import { type EffectOptions, requireHarmless, violationsOf, watchOf } from "./replay.js";
import { hash, RequestGenerator } from "./request-generator.js";
import { RouteHints } from "./route-hints.js";
import type { Violation } from "./violation.js";

export interface FuzzOptions extends EffectOptions, Limits {
  /** The same seed gives the same requests. Default: random. */
  readonly seed?: number;
  /** Requests to each route. Default 100. */
  readonly runs?: number;
  /** One route, "POST /orders", or all routes of a path: "/orders". */
  readonly route?: string;
  /** The name of one identity, or "nobody" to send requests without one. Default: each of them, and none. */
  readonly as?: string;
  readonly progress?: (progress: FuzzProgress) => void;
}

export interface FuzzProgress {
  readonly sent: number;
  readonly planned: number;
  /** Failures so far, and how many of them are reduced. */
  readonly failures: number;
  readonly reduced: number;
}

export interface FuzzedCount {
  readonly route: string;
  /** Responses by status, ascending. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Requests without a response in time. */
  readonly unanswered: number;
}

export interface FuzzFailure {
  readonly route: string;
  readonly message: string;
  /** Responses that failed in this way. */
  readonly times: number;
  /** The last one fails; it needs the earlier ones. */
  readonly requests: readonly FuzzRequest[];
  /** Whether the requests fail again in a new application. */
  readonly isReproduced: boolean;
}

export interface FuzzReport {
  readonly seed: number;
  readonly routes: readonly FuzzedCount[];
  readonly failures: readonly FuzzFailure[];
  /** Whether fast-check was available to shrink the requests. */
  readonly isShrunk: boolean;
}

const MAX_SEED = 2 ** 32 - 1;
const MAX_RUNS = 1_000_000;
const MAX_SLOW_MS = 3_600_000;
const MAX_FAILURES = 20;
/** Approximate number of requests to one application. */
const REQUESTS = 40;
/** A route with so many late responses is no longer fuzzed. */
const MAX_UNANSWERED = 3;
/** Rounds in which a client keeps its address: limits by address take effect, and end. */
const ROUNDS_AN_ADDRESS = 32;

/**
 * Runs in this process, which a step that blocks the event loop for longer than a second beyond `slowMs` ends;
 * `framework fuzz` has a process of its own. Throws FUZZ_REFUSED, RESOURCE_MISSING, CONFIG_INVALID, and errors of
 * the application's start.
 */
export const fuzz = (application: FuzzedApplication, options: FuzzOptions = {}): Promise<FuzzReport> =>
  fuzzWith(application, options, {});

/** What a process that fuzzes says and leaves out. */
export interface FuzzProcess {
  /** Called before the requests of an application, with its requests so far, and before each request. */
  readonly sending?: (request: FuzzRequest, round: number, isFirst: boolean) => Promise<void>;
  /** The first round in which a route gets no request. */
  readonly until?: ReadonlyMap<string, number>;
}

export const chosenSeed = (seed = randomInt(MAX_SEED)): number => seed;

export async function fuzzWith(
  application: FuzzedApplication,
  options: FuzzOptions,
  around: FuzzProcess,
): Promise<FuzzReport> {
  const { runs = 100, slowMs } = options;
  const seed = chosenSeed(options.seed);
  requireWhole("seed", seed, 0, MAX_SEED);
  requireWhole("runs", runs, 1, MAX_RUNS);
  if (slowMs !== undefined) requireWhole("slowMs", slowMs, 0, MAX_SLOW_MS);
  await requireHarmless(application, options.allowEffects);
  const watch = watchOf(options);
  const session = new FuzzSession(application, seed, runs, options, around, watch);
  return session.run().finally(() => watch?.end());
}

interface Found {
  readonly route: string;
  readonly violation: Violation;
  readonly requests: readonly FuzzRequest[];
  times: number;
}

interface Tally {
  readonly statuses: Map<number, number>;
  unanswered: number;
}

class FuzzSession {
  readonly #application: FuzzedApplication;
  readonly #seed: number;
  readonly #runs: number;
  readonly #options: FuzzOptions;
  readonly #found = new Map<string, Found>();
  readonly #tallies = new Map<string, Tally>();
  readonly #hints = new Map<string, RouteHints>();
  readonly #around: FuzzProcess;
  readonly #watch: LoopWatch | undefined;
  #sent = 0;

  constructor(
    application: FuzzedApplication,
    seed: number,
    runs: number,
    options: FuzzOptions,
    around: FuzzProcess,
    watch: LoopWatch | undefined,
  ) {
    this.#application = application;
    this.#seed = seed;
    this.#runs = runs;
    this.#options = options;
    this.#around = around;
    this.#watch = watch;
  }

  async run(): Promise<FuzzReport> {
    for (let round = 0; round < this.#runs; ) round = await this.#episode(round);
    const fastCheck = await loadFastCheck();
    const failures: FuzzFailure[] = [];
    for (const { route, violation, requests, times } of this.#found.values()) {
      failures.push({ route, times, ...(await this.#reduced(violation, requests, fastCheck)) });
      this.#tell(failures.length);
    }
    const routes = [...this.#tallies].map(([route, { statuses, unanswered }]) => ({
      route,
      statuses: new Map([...statuses].sort(([a], [b]) => a - b)),
      unanswered,
    }));
    return { seed: this.#seed, routes, failures, isShrunk: fastCheck !== undefined };
  }

  async #reduced(
    { key, message }: Violation,
    requests: readonly FuzzRequest[],
    fastCheck: Awaited<ReturnType<typeof loadFastCheck>>,
  ): Promise<Pick<FuzzFailure, "message" | "requests" | "isReproduced">> {
    const { patienceMs, slowMs } = this.#options;
    const limits = { ...(patienceMs && { patienceMs }), ...(slowMs !== undefined && { slowMs }) };
    const again = async (some: readonly FuzzRequest[], only?: ReadonlySet<string>) => {
      const options = { ...limits, ...(only && { only }), watch: this.#watch };
      const violations = await violationsOf(this.#application, some, options);
      return violations.find((violation) => violation.key === key);
    };
    // Compiling the other routes for each try would be wasted.
    const fails = async (some: readonly FuzzRequest[]): Promise<boolean> =>
      (await again(some, new Set(some.map(({ route }) => route)))) !== undefined;
    const few = await reduced(requests, fails, fastCheck);
    const found = few && (await again(few));
    if (few === undefined || found === undefined) return { message, requests, isReproduced: false };
    return { message: found.message, requests: few, isReproduced: true };
  }

  /** Returns the number of the next round. */
  async #episode(first: number): Promise<number> {
    const begun = await BegunApplication.begin(this.#application, { ...this.#options, watch: this.#watch });
    try {
      const routes = this.#chosen([...begun.routes.values()]);
      // In the order of mounting, whichever is requested first.
      for (const { row } of routes) this.#tallyOf(row);
      const callers = this.#callers(Object.keys(begun.identities));
      const generators = routes.map((route) => ({
        route,
        generator: new RequestGenerator(route, this.#hintsOf(route)),
      }));
      const end = Math.min(this.#runs, first + Math.max(1, Math.floor(REQUESTS / routes.length)));
      const before: FuzzRequest[] = [];
      for (let round = first; round < end; round += 1) {
        const from = hash(`${this.#seed} ${round}`) % routes.length;
        for (const { route, generator } of [...generators.slice(from), ...generators.slice(0, from)]) {
          const tally = this.#tallyOf(route.row);
          if (tally.unanswered >= MAX_UNANSWERED || round >= (this.#around.until?.get(route.row) ?? Infinity))
            continue;
          const request = { ...generator.draw(this.#seed, round, callers), peer: addressOf(round) };
          await this.#around.sending?.(request, round, before.length === 0);
          before.push(request);
          this.#note(tally, request, before, await begun.send(request));
          this.#sent += 1;
          if (this.#sent % 16 === 0) this.#tell(0, routes.length);
        }
      }
      return end;
    } finally {
      await begun.close();
    }
  }

  #note(tally: Tally, { route }: FuzzRequest, before: readonly FuzzRequest[], exchanged: Exchanged): void {
    const { status } = exchanged;
    if (status === undefined) tally.unanswered += 1;
    else tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    const { violation } = exchanged;
    if (violation === undefined) return;
    const known = this.#found.get(violation.key);
    if (known !== undefined) known.times += 1;
    else if (this.#found.size < MAX_FAILURES)
      this.#found.set(violation.key, { route, violation, requests: [...before], times: 1 });
  }

  #chosen(routes: readonly FuzzedRoute[]): readonly FuzzedRoute[] {
    const { route: wanted } = this.#options;
    const chosen = routes.filter(
      ({ row, info }) => wanted === undefined || wanted === row || wanted === info.path,
    );
    if (chosen.length > 0) return chosen;
    throw refused(
      wanted === undefined
        ? "the ingress has no route"
        : `there is no route '${wanted}': there are ${routes.map(({ row }) => row).join(", ")}`,
    );
  }

  #callers(names: readonly string[]): readonly (string | undefined)[] {
    const { as } = this.#options;
    if (as === undefined) return [undefined, ...names];
    if (as === NOBODY) return [undefined];
    if (names.includes(as)) return [as];
    throw refused(`there is no identity '${as}': there are ${[NOBODY, ...names].join(", ")}`);
  }

  #tallyOf(row: string): Tally {
    const known = this.#tallies.get(row);
    if (known !== undefined) return known;
    const tally = { statuses: new Map<number, number>(), unanswered: 0 };
    this.#tallies.set(row, tally);
    return tally;
  }

  /** Read from the first application: the source of the steps is the same in each. */
  #hintsOf(route: FuzzedRoute): RouteHints {
    const known = this.#hints.get(route.row);
    if (known !== undefined) return known;
    const hints = new RouteHints(route);
    this.#hints.set(route.row, hints);
    return hints;
  }

  #tell(reducedSoFar: number, routes = this.#tallies.size): void {
    const planned = this.#runs * routes;
    this.#options.progress?.({
      sent: this.#sent,
      planned,
      failures: this.#found.size,
      reduced: reducedSoFar,
    });
  }
}

/** A loopback address. */
const addressOf = (round: number): string =>
  `127.1.${Math.floor(round / ROUNDS_AN_ADDRESS) % 256}.${1 + (round % 4)}`;

function requireWhole(name: string, value: number, least: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  throw refused(`${name} is not a whole number from ${least} to ${most}`);
}

const refused = (why: string): FrameworkError =>
  new FrameworkError("FUZZ_REFUSED", `No request was sent: ${why}`);

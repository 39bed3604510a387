// The host of an ingress's kept runs: one per serving process.

import { systemClock } from "#core/clock.js";
import type { InOf } from "#runtime/axon/axon-flow.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { programOf } from "#runtime/axon/in-process.js";
import { startedBy } from "#runtime/check/waiting-places.js";
import { type Errand, hearRequests } from "#runtime/hosting/host-requests.js";
import { redriveErrand } from "#runtime/hosting/redrive-errand.js";
import { RequestHost } from "#runtime/hosting/request-host.js";
import { resumeErrand } from "#runtime/hosting/resume-errand.js";
import { DEFAULT_HOSTING, type HostedRuns, RunHost } from "#runtime/hosting/run-host.js";
import {
  type KeptRuns,
  type ResultOptions,
  type RunResult,
  ServedRuns,
  type StartOptions,
} from "#runtime/hosting/served-runs.js";
import { wrongMigrations } from "#runtime/hosting/wrong-migrations.js";
import type { StartedRun } from "#runtime/kept/appended.js";
import { unansweredReports } from "../answer/fault-problem.js";
import type { IngressPlan, Phase } from "../plan/ingress-plan.js";
import { configInvalid } from "../refusal/option-checks.js";
import { axonsOfPlan } from "../request/shared-bus.js";

const DAY_MS = 86_400_000;
export const RETAIN_DAYS = 30;

/** Drops what extensions keep of past requests in memory. Returns how many. */
type Forget = () => number;

/** Undefined if no Axon is kept. The dispatcher sets the Bus of resumed runs on the host. */
export function keptRunsOf(
  plan: IngressPlan,
  phase: () => Phase,
  forget: Forget = () => 0,
): KeptRuns | undefined {
  const mounted = axonsOfPlan(plan);
  const axons = mounted.filter(({ persistence }) => persistence !== undefined);
  if (axons.length === 0) return undefined;
  for (const [at, { name, steps }] of axons.entries())
    if (axons.slice(at + 1).some((other) => other.name === name && other.steps !== steps))
      throw configInvalid(
        `two Axons named '${name}' keep their runs: a resumed run would not know which of them it is of; give each a name of its own`,
      );
  for (const axon of axons) {
    const absent = startedBy(axon).find((name) => !axons.some((other) => other.name === name));
    if (absent !== undefined)
      throw configInvalid(
        `Axon '${axon.name}' begins runs of Axon '${absent}', which is not mounted here: mount it on a route of this ingress`,
      );
  }
  const unsorted = axons.find(
    ({ persistence: of }) => of?.retain !== undefined && of.store.list === undefined,
  );
  if (unsorted !== undefined)
    throw configInvalid(
      `the store of Axon '${unsorted.name}' has no list, and so cannot keep its runs longer or shorter than others: leave out retain, or use a store of openStores`,
    );
  const wrong = axons.flatMap((axon) => wrongMigrations(axon, () => programOf(axon)));
  if (wrong.length > 0) throw configInvalid(wrong.join("; "));
  const hosted: HostedRuns = {
    ...DEFAULT_HOSTING,
    ...plan.hosting,
    axons,
    isReady: () => phase() === "ready",
    retainMs: (plan.stores?.retainDays ?? RETAIN_DAYS) * DAY_MS,
    clock: systemClock,
    reporter: plan.reporter,
    failed: ({ id, axon }, fault) => {
      for (const report of unansweredReports(fault))
        plan.reporter({ ...report, axon, message: `Run '${id}': ${report.message}` });
    },
  };
  const host = new RunHost(hosted);
  const { requests, deadLetters } = plan.stores ?? {};
  if (requests !== undefined && deadLetters !== undefined)
    hearRequests(host, requests, {
      ...{ mayBegin: hosted.isReady, reporter: plan.reporter },
      errands: new Map([
        ["resume", resumeErrand(host, axons)],
        ["redrive", redriveErrand(host, mounted, deadLetters)],
        ["forget-subject", forgetErrand(forget)],
      ]),
    });
  return { host, runs: new ServedRuns(hosted, host) };
}

/** For a server that keeps no runs in its stores: erasures reach its memory by it. Undefined if the other host has a lease there. */
export function requestHostOf(
  { stores, hosting, reporter, kept }: IngressPlan,
  phase: () => Phase,
  forget: Forget,
): RequestHost | undefined {
  if (stores?.requests === undefined || kept?.host.stores.includes(stores.runs)) return undefined;
  const { leaseMs } = { ...DEFAULT_HOSTING, ...hosting };
  const host = new RequestHost({ store: stores.runs, leaseMs, clock: systemClock, reporter });
  hearRequests(host, stores.requests, {
    ...{ mayBegin: () => phase() === "ready", reporter },
    errands: new Map([["forget-subject", forgetErrand(forget)]]),
  });
  return host;
}

const forgetErrand = (forget: Forget): Errand => ({
  fits: async () => true,
  run: async () => ({ forgotten: forget() }),
});

/** Kept runs, typed by their Axons. */
export interface RunsByHand
  extends Pick<ServedRuns, "resume" | "cancel" | "list" | "history" | "signal" | "wake"> {
  /** See {@link ServedRuns.start}. */
  start<A extends AnyAxon>(axon: A, input: InOf<A>, options?: StartOptions): Promise<StartedRun>;
  /** See {@link ServedRuns.endOf}. */
  result(runId: string, options?: ResultOptions): Promise<RunResult>;
}

export const runsByHand = (runs: ServedRuns): RunsByHand => ({
  start: (axon, input, options) => runs.start(axon.name, input, options),
  resume: (runId, by, options) => runs.resume(runId, by, options),
  cancel: (runId, reason, by, options) => runs.cancel(runId, reason, by, options),
  result: (runId, options) => runs.endOf(runId, options),
  history: (runId) => runs.history(runId),
  list: (options) => runs.list(options),
  signal: (runId, kind, payload, options) => runs.signal(runId, kind, payload, options),
  wake: (runId, by) => runs.wake(runId, by),
});

const none = (): never => {
  throw configInvalid("this server keeps no runs: mount an Axon that has withPersistenceStore");
};

export const noRuns: RunsByHand = {
  start: none,
  resume: none,
  cancel: none,
  result: none,
  list: none,
  history: none,
  signal: none,
  wake: none,
};

// The host of an ingress's kept runs: one per serving process.

import type { Bus } from "#core/bus/bus.js";
import { systemClock } from "#core/clock.js";
import type { AuditUse } from "#core/ports/audit-use.js";
import type { StoreSet } from "#core/ports/store-set.js";
import type { InOf } from "#runtime/axon/axon-flow.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { programOf } from "#runtime/axon/in-process.js";
import { startedBy } from "#runtime/check/waiting-places.js";
import { type HostProcess, PROCESS_BEGAN_AT } from "#runtime/hosting/heartbeat.js";
import { type Errand, hearRequests } from "#runtime/hosting/host-requests.js";
import { letterErrands } from "#runtime/hosting/letter-errands.js";
import { RequestHost } from "#runtime/hosting/request-host.js";
import { runErrands } from "#runtime/hosting/run-errands.js";
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
import { applicationOf } from "#telemetry/tracing/service.js";
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
    audit: auditOf(plan),
    clock: systemClock,
    reporter: plan.reporter,
    process: hostProcess(),
    failed: ({ id, axon }, fault) => {
      for (const report of unansweredReports(fault))
        plan.reporter({ ...report, axon, message: `Run '${id}': ${report.message}` });
    },
  };
  const host = new RunHost(hosted);
  const runs = new ServedRuns(hosted, host);
  if (plan.stores?.requests !== undefined)
    hearRequests(host, plan.stores.requests, {
      ...{ mayBegin: hosted.isReady, reporter: plan.reporter },
      errands: new Map([...runErrands(host, runs), ...errandsOf(plan, plan.stores, host, forget)]),
    });
  return { host, runs };
}

/**
 * For a server that keeps no runs in its stores: other hosts see by it that this one lives, erasures reach
 * its memory, and operators the dead letters of its Axons. Undefined if the other host has a lease there.
 */
export function requestHostOf(
  plan: IngressPlan,
  phase: () => Phase,
  forget: Forget,
): RequestHost | undefined {
  const { stores, hosting, reporter, kept } = plan;
  if (stores?.requests === undefined || kept?.host.stores.includes(stores.runs)) return undefined;
  const { leaseMs } = { ...DEFAULT_HOSTING, ...hosting };
  const host = new RequestHost({
    ...{ store: stores.runs, leaseMs, clock: systemClock, reporter, process: hostProcess() },
  });
  hearRequests(host, stores.requests, {
    ...{ mayBegin: () => phase() === "ready", reporter },
    errands: new Map(errandsOf(plan, stores, host, forget)),
  });
  return host;
}

/** What needs no kept runs. */
const errandsOf = (
  plan: IngressPlan,
  { deadLetters: letters }: StoreSet,
  host: { readonly resources: Bus },
  forget: Forget,
): readonly (readonly [string, Errand])[] => [
  ["forget-subject", forgetErrand(forget)],
  ...letterErrands({
    ...{ letters, axons: axonsOfPlan(plan), bus: () => host.resources },
    ...{ audit: auditOf(plan), clock: systemClock, reporter: plan.reporter },
  }),
];

const auditOf = ({ audit: sink }: IngressPlan): AuditUse | undefined => sink && { sink, onFailure: "log" };

const hostProcess = (): HostProcess => {
  const { name, version } = applicationOf(process.argv[1]);
  return {
    ...(name !== undefined && { name }),
    ...(version !== undefined && { version }),
    began_at: PROCESS_BEGAN_AT,
  };
};

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

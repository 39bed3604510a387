// Hosts of one store, on one clock that the test moves.

import { Axon, MemoryRuns, RunEpoch, RunId } from "framework";
import type { Report } from "#core/bus/reporter.js";
import type { RunEntry, RunStore } from "#core/ports/run-store.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { DEFAULT_HOSTING, type HostedRuns, RunHost, type RunHostOptions } from "#runtime/hosting/run-host.js";
import { ServedRuns } from "#runtime/hosting/served-runs.js";
import { ManualClock } from "#runtime/run/manual-clock.js";

export const LEASE_MS = DEFAULT_HOSTING.leaseMs;

type HostOptions = RunHostOptions & Pick<HostedRuns, "audit">;

export function hosts() {
  const clock = new ManualClock();
  const runs = new MemoryRuns({ clock });
  const reports: Report[] = [];
  const failures: unknown[] = [];
  const made = { isReady: true };
  const hosted = (axons: readonly AnyAxon[], options: HostOptions): HostedRuns => ({
    ...DEFAULT_HOSTING,
    ...options,
    axons: axons.map(({ definition }) => definition),
    isReady: () => made.isReady,
    retainMs: 1000,
    clock,
    reporter: (report) => void reports.push(report),
    failed: ({ id, axon }, { error }) => void failures.push([axon, id, error]),
    random: () => 0.5,
  });
  const host = (axons: readonly AnyAxon[], options: HostOptions = {}) => new RunHost(hosted(axons, options));
  /** A host whose lease has begun, and its runs. */
  const served = async (axons: readonly AnyAxon[], options: HostOptions = {}) => {
    const all = hosted(axons, options);
    const one = new RunHost(all);
    await one.begin();
    return { host: one, handle: new ServedRuns(all, one) };
  };
  return { clock, runs, reports, failures, made, host, served };
}

export const beginning = (axon: string, version = "1.0.0"): RunEntry => ({
  ...{ kind: "begun", at: 1, axon, version, node: `${axon}/add`, input: 1, bus: {}, jumps: 0 },
});

/** An Axon of one step that notes what it did, and in which epoch. */
export const adding = (runs: RunStore, done: string[], name = "sums", step = (n: number): unknown => n + 1) =>
  Axon.start<number>(name)
    .withPersistenceStore(runs)
    .thenFn(
      "add",
      (n, bus) => {
        done.push(`${bus.get(RunId)} in epoch ${bus.get(RunEpoch)}`);
        return step(n) as number;
      },
      { reads: [RunId, RunEpoch] },
    );

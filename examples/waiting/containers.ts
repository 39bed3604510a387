// A container in a harbour: a run that sleeps, a run that awaits another one, and a run without an
// end that is a new log each month.

import { type Static, Type } from "@sinclair/typebox";
import { Axon, busKey, fault, RunId, Stores, signal } from "framework";

export interface Harbour {
  /** Parts of gas in a million. */
  measure(container: string): Promise<number>;
  bill(id: string, container: string, month: number): Promise<void>;
}
export const Harbour = busKey<Harbour>()("Harbour");

const DAY_MS = 86_400_000;
const SAFE_PPM = 5;

/** The gas stays in the container for two days. */
export const fumigation = Axon.start("fumigation", Type.String())
  .withPersistenceStore(Stores.mounted)
  .sleep("gas", 2 * DAY_MS)
  .thenFn("measure", { uses: { harbour: Harbour } }, async (container, { harbour }) => ({
    container,
    ppm: await harbour.measure(container),
  }));

/** The fumigation is a run of its own; meanwhile the papers are made ready. */
export const clearance = Axon.start("clearance", Type.String())
  .withPersistenceStore(Stores.mounted)
  .startRun(fumigation)
  .thenFn("papers", async (container) => ({ container, papers: `papers of ${container}` }))
  .awaitRun(fumigation, {
    take: ({ papers }, { ppm }) => (ppm > SAFE_PPM ? fault({ kind: "gas", ppm } as const) : papers),
  });

const Stored = Type.Object({ container: Type.String(), month: Type.Integer() });
export const Collected = signal<string>()("collected", Type.String());

/** A bill for each month. With the next month the run begins a new log, so that no log grows for years. */
const anotherMonth = Axon.start<Static<typeof Stored>>("another-month").continueAs<Static<typeof Stored>>(
  ({ container, month }) => ({ container, month: month + 1 }),
);

export const storage = Axon.start("storage", Stored)
  .withPersistenceStore(Stores.mounted)
  .thenFn("bill", { uses: { harbour: Harbour, runId: RunId } }, async (stored, { harbour, runId }) => {
    await harbour.bill(`${runId}-${stored.month}`, stored.container, stored.month);
    return stored;
  })
  .waitFor(Collected, {
    ...{ timeoutMs: 30 * DAY_MS, onTimeout: "another month" },
    take: ({ month }, by) => ({ months: month, by }),
  })
  .branch("another month", anotherMonth);

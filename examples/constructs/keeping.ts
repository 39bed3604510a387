// A run that is kept goes on after its process has stopped, at the first step that was not completed.

import { Axon, Bus, busKey, MemoryRuns, MigrationStrategy, RunId, Type } from "framework";

export interface Freight {
  readonly container: string;
  readonly tonnes: number;
}

export interface Port {
  book(container: string, order: string): Promise<{ readonly berth: number }>;
  load(container: string, berth: number, order: string): Promise<void>;
}

export const Port = busKey<Port>()("Port");
const Berth = busKey<number>()("Berth");

/** Gone with the process: one that is to outlive it needs a store on disk. */
export const voyages = new MemoryRuns();

export const shipFreight = Axon.start<Freight>("ship-freight")
  .withPersistenceStore(voyages, {
    migrations: [
      // In version 1 the load was weighed by a step of its own.
      {
        from: "1.0.0",
        strategy: MigrationStrategy.migrateActiveNode("ship-freight/weigh", "ship-freight/load"),
      },
    ],
  })
  .withVersion("2.0.0")
  .withLabels({ container: Type.String({ maxLength: 20 }) })
  .thenFn(
    "book",
    { uses: { port: Port, runId: RunId }, sets: { berth: Berth }, labels: ["container"] },
    async (freight, bus) => {
      bus.label("container", freight.container);
      // A step that was stopped runs again. By the run's id the port knows the booking it has.
      const { berth } = await bus.port.book(freight.container, bus.runId);
      bus.berth = berth;
      return freight;
    },
  )
  .thenFn("load", { uses: { port: Port, runId: RunId, berth: Berth } }, async ({ container }, bus) => {
    await bus.port.load(container, bus.berth, bus.runId);
    return { container, berth: bus.berth, loaded: new Date(0) };
  })
  .thenFn("note", ({ container, berth }) => `${container} at berth ${berth}`);

/** At the start of a process: what others have left. */
export async function goOn(port: Port): Promise<readonly unknown[]> {
  const left = await voyages.unfinished({ axon: "ship-freight" });
  return Promise.all(left.map(({ id }) => shipFreight.resume(id, Bus.of([[Port, port]]))));
}

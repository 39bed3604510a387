// An order of three steps, each on whichever host runs it then: the answer has their names.

import { setTimeout as pause } from "node:timers/promises";

import { Axon, busKey, fault, MigrationStrategy, Stores, Type, transition } from "framework";

/** The host that runs a step. `stepMs` makes steps slow enough to be stopped in the middle. */
export interface Host {
  readonly name: string;
  readonly release: string;
  readonly stepMs: number;
}

export const HostKey = busKey<Host>()("Host");

const Order = Type.Object(
  { sku: Type.String({ minLength: 1, maxLength: 40 }), pieces: Type.Integer({ minimum: 1, maximum: 1000 }) },
  { $id: "Order" },
);
type Order = typeof Order.static;
const Steps = Type.Object({ sku: Type.String(), steps: Type.Array(Type.String()) }, { $id: "Steps" });
type Steps = typeof Steps.static;

const IN_STOCK = 900;

async function done(step: string, { name, stepMs }: Host): Promise<string> {
  if (stepMs > 0) await pause(stepMs);
  return `${step} on ${name}`;
}

const reserve = transition({
  name: "reserve",
  uses: { host: HostKey },
  run: async ({ sku, pieces }: Order, bus) =>
    pieces > IN_STOCK ? fault({ kind: "sold-out", sku }) : { sku, steps: [await done("reserve", bus.host)] },
});

const release = transition({
  name: "release",
  uses: { host: HostKey },
  run: (_: { readonly input: Order }, bus) => void done("release", bus.host),
});

const next = (name: string) =>
  transition({
    name,
    uses: { host: HostKey },
    run: async ({ sku, steps }: Steps, bus): Promise<Steps> => ({
      sku,
      steps: [...steps, await done(name, bus.host)],
    }),
  });

/** What release 1 serves. Release 2 has it for the orders that release 1 began. */
export const firstOrder = Axon.start("order", Order)
  .withPersistenceStore(Stores.mounted)
  .thenCompensated(reserve, release)
  .then(next("pay"))
  .then(next("ship"))
  .withOutputSchema(Steps);

/** What release 2 serves: it wraps, too. */
export const order = Axon.start("order", Order)
  .withVersion("2.0.0")
  .withPersistenceStore(Stores.mounted, {
    migrations: [{ from: "1.0.0", strategy: MigrationStrategy.completeOnOldVersion(firstOrder) }],
  })
  .thenCompensated(reserve, release)
  .then(next("pay"))
  .then(next("wrap"))
  .then(next("ship"))
  .withOutputSchema(Steps);

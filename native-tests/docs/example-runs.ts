// Each Axon of the examples, with a run as it is usual for it: docs/axon.md and the pages beside it show their
// Timelines, and axon.test.ts compares them with what is drawn. A run happens once, at its first reader.

import { IamToken, param } from "framework";
import { AxonTestKit, ManualClock } from "framework/runtime";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import type { TestKitOptions, TestRun } from "#runtime/testing/axon-test-kit.js";
import { drive } from "../../examples/constructs/aborts.js";
import { checkIn } from "../../examples/constructs/branches.js";
import { groupFare } from "../../examples/constructs/bus-keys.js";
import { ship } from "../../examples/constructs/dead-letters.js";
import { sell } from "../../examples/constructs/events.js";
import { closeHarbour, greet } from "../../examples/constructs/identities.js";
import { stow } from "../../examples/constructs/jumps.js";
import { shipFreight } from "../../examples/constructs/keeping.js";
import { closeDay } from "../../examples/constructs/locks.js";
import { cheapest, returnTrip } from "../../examples/constructs/parallel.js";
import { announce } from "../../examples/constructs/recorders.js";
import { nextSailing } from "../../examples/constructs/resources.js";
import { unload } from "../../examples/constructs/resuming.js";
import { pay } from "../../examples/constructs/retries.js";
import { bookHoliday } from "../../examples/constructs/sagas.js";
import { reserve } from "../../examples/constructs/schemas.js";
import { fare } from "../../examples/constructs/steps.js";
import { board, identify, scan } from "../../examples/constructs/subgraphs.js";
import { moor } from "../../examples/constructs/synapses.js";
import { clearance } from "../../examples/constructs/time-limits.js";
import { quote } from "../../examples/nodes/quote.js";
import { deliver, takings } from "../../examples/orders/deliveries.js";
import { loyalDiscount } from "../../examples/orders/loyal-discount.js";
import { placeOrder } from "../../examples/orders/place-order.js";
import { listProducts, showProduct } from "../../examples/orders/products.js";
import { Inventory } from "../../examples/orders/shop.js";

export interface ExampleRun {
  readonly axon: AnyAxon;
  /** What is to be seen in it. */
  readonly about: string;
  readonly run: () => Promise<TestRun<unknown, unknown>>;
}

const catalogue = new Map(
  [
    { sku: "tea", name: "Tea", price_cents: 500, stock: 10 },
    { sku: "pot", name: "Pot", price_cents: 9000, stock: 2 },
  ].map((product) => [product.sku, product]),
);
const shop = () => ({ Catalogue: catalogue, Stock: new Inventory(catalogue) });
const partial = { customer: "Ada", loyal: true, partial: true, lines: [{ sku: "pot", qty: 5 }] };
const parcel = { sku: "tea-0001", grams: 500, country: "FR" };

const agency = (rooms: number) => ({
  Agency: {
    cabin: async () => ({ cabin: 7 }),
    freeCabin: async () => {},
    charge: async () => ({ payment: "p1" }),
    refund: async () => {},
    hasRoom: (nights: number) => nights <= rooms,
  },
});

/** The white line cannot be reached. */
const lines = {
  Lines: async (line: string, from: string) => {
    if (line === "white") throw new Error("unreachable");
    return from === "Oban" ? 1500 : 1700;
  },
};

/** Is busy for the first calls. */
const bank = () => {
  let busy = 2;
  return {
    Bank: {
      charge: async () => {
        busy -= 1;
        return busy < 0 ? "charged" : "busy";
      },
    },
  };
};

const flaky = () => {
  let calls = 0;
  return {
    Customs: {
      declare: () => {
        calls += 1;
        return calls < 3 ? undefined : "DE-17";
      },
    },
  };
};

function of(
  axon: AnyAxon,
  about: string,
  input?: unknown,
  resources: () => Record<string, unknown> = () => ({}),
  prepare: (kit: AxonTestKit) => AxonTestKit = (kit) => kit,
  options: TestKitOptions = {},
): ExampleRun {
  const begin = async (): Promise<TestRun<unknown, unknown>> => {
    const clock = new ManualClock();
    const kit = prepare(new AxonTestKit(resources(), { clock, ...options }));
    const running = kit.run(axon, input as never);
    await clock.advance(60_000);
    return running;
  };
  let begun: Promise<TestRun<unknown, unknown>> | undefined;
  const run = () => {
    begun ??= begin();
    return begun;
  };
  return { axon, about, run };
}

export const exampleRuns: readonly ExampleRun[] = [
  of(fare, "a party with luggage", { passengers: 2, luggageKg: 60 }),
  of(fare, "too much luggage", { passengers: 2, luggageKg: 600 }),
  of(checkIn, "a car", { plate: "HH-1", tonnes: 2 }),
  of(checkIn, "a lorry", { plate: "HH-2", tonnes: 38.5 }),
  of(stow, "the second deck has room", { metres: 12, deck: 0 }, () => ({ Decks: [5, 40] })),
  of(sell, "a ticket", { crossing: "Mull" }),
  of(groupFare, "a class", Array(12).fill("pupil"), () => ({ Season: "summer" })),
  of(
    nextSailing,
    "a harbour",
    undefined,
    () => ({ Timetable: { next: async () => "09:40" } }),
    (kit) => kit.set(param("harbour"), "oban"),
  ),
  of(identify, "a passport", { number: "c01 x0", expires: 2030 }),
  of(board, "a passport", { number: "c01 x0", expires: 2030 }),
  of(scan, "an expired passport, tried twice", { number: "c01 x0", expires: 2020 }),
  of(returnTrip, "both ways", { from: "Oban", to: "Mull" }, () => lines),
  of(cheapest, "one line cannot be reached", { from: "Oban", to: "Mull" }, () => lines),
  of(pay, "a bank that is busy twice", { card: "4711", cents: 900 }, bank),
  of(clearance, "a forecast in time", "Oban", () => ({ WeatherService: { waves: async () => 2 } })),
  of(clearance, "no forecast", "Oban", () => ({ WeatherService: { waves: () => new Promise(() => {}) } })),
  of(bookHoliday, "a booking", { guest: "Ada", nights: 2 }, () => agency(3)),
  of(bookHoliday, "a hotel that is full", { guest: "Ada", nights: 5 }, () => agency(3)),
  of(ship, "customs opens at the third try", { to: "Mull", grams: 230 }, flaky),
  of(ship, "customs is closed", { to: "Mull", grams: 230 }, () => ({
    Customs: { declare: () => undefined },
  })),
  of(closeDay, "a day", { date: "2026-03-01" }, () => ({
    Ledger: { sold: async () => 7200, close: async () => true },
  })),
  of(closeHarbour, "by a pilot", "fog", undefined, (kit) => kit.set(IamToken, "badge-2")),
  of(closeHarbour, "by the harbour master", "fog", undefined, (kit) => kit.set(IamToken, "badge-1")),
  of(greet, "a stranger"),
  of(shipFreight, "a container", { container: "C-7", tonnes: 20 }, () => ({
    Port: { book: async () => ({ berth: 4 }), load: async () => {} },
  })),
  of(reserve, "a reservation", { email: "ada@example.com", seats: 2 }),
  of(reserve, "too many seats", { email: "ada@example.com", seats: 9 }),
  of(moor, "a free berth", "Freya", () => ({ HarbourRadio: { berth: async () => 7 } })),
  of(announce, "read and approved", "Freya", undefined, undefined, {
    recorder: {
      beforeNode: (_, node, input) => (node === "announce/speak" ? Promise.resolve(input) : input),
    },
  }),
  of(unload, "some cargo", { containers: [20, 25] }),
  of(drive, "a driver who comes", "HH-1", () => ({ Loudspeaker: async () => {} })),
  of(placeOrder, "part of an order", partial, shop),
  of(loyalDiscount, "a large order", { order: partial, subtotal: 9000, discount: 0 }),
  of(listProducts, "all", undefined, shop),
  of(deliver, "two parcels", { order: "o-1", city: "Delft", grams: 9000 }),
  of(deliver, "no road leads there", { order: "o-2", city: "Atlantis", grams: 900 }),
  of(takings, "for the manager", undefined, undefined, (kit) => kit.set(IamToken, "manager-of-the-shop")),
  of(takings, "for nobody else", undefined, undefined, (kit) => kit.set(IamToken, "clerk-of-the-shop")),
  of(showProduct, "one", undefined, shop, (kit) => kit.set(param("sku"), "tea")),
  of(
    quote(() => {}),
    "a parcel",
    parcel,
    () => ({ Rates: { percentOf: async () => 100 } }),
  ),
  of(
    quote(() => {}),
    "a fragile one",
    { ...parcel, fragile: true },
    () => ({
      Rates: { percentOf: async () => 90 },
    }),
  ),
];

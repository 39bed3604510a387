import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Bus, Framework, IamToken, RunId } from "framework";
import { TestApp } from "framework/http";
import { AxonTestKit, ManualClock } from "framework/runtime";
import { codeOf, errorOf } from "../../native-tests/support/outcome-code.js";
import { checkIn } from "./branches.js";
import { groupFare } from "./bus-keys.js";
import { sell, takings } from "./events.js";
import { closeHarbour, greet } from "./identities.js";
import { Decks, stow } from "./jumps.js";
import { goOn, Port, shipFreight, voyages } from "./keeping.js";
import { closeDay, Ledger, locks } from "./locks.js";
import { cheapest, Lines, returnTrip } from "./parallel.js";
import { departures, nextSailing, type Timetable } from "./resources.js";
import { pay } from "./retries.js";
import { type Agency, bookHoliday } from "./sagas.js";
import { reserve } from "./schemas.js";
import { fare } from "./steps.js";
import { board, identify, scan } from "./subgraphs.js";
import { clearance } from "./time-limits.js";

describe("steps", () => {
  test("make a fare, each from what the one before answered", () => {
    assert.equal(fare.execute({ passengers: 2, luggageKg: 60 }), "34.00 EUR");
  });

  test("end with the fault of the one that refuses", () => {
    assert.deepEqual(errorOf(fare.execute({ passengers: 2, luggageKg: 501 })), {
      kind: "too-heavy",
      limitKg: 500,
    });
  });
});

describe("a harbour that is closed", () => {
  const by = (token: string) => Bus.of([[IamToken, token]]);

  test("is closed by the harbour master", () => {
    assert.equal(closeHarbour.execute("fog", by("badge-1")), "closed by Ailsa: fog");
  });

  test("is closed by nobody else", () => {
    assert.equal(codeOf(closeHarbour.execute("fog", by("badge-2"))), "ROLE_INSUFFICIENT");
    assert.equal(codeOf(closeHarbour.execute("fog", by("badge-3"))), "TOKEN_INVALID");
    assert.equal(codeOf(closeHarbour.execute("fog")), "TOKEN_MISSING");
  });

  test("greets anybody, and those it knows by name", () => {
    assert.equal(greet.execute(undefined, by("badge-2")), "Good morning, Hamish");
    assert.equal(greet.execute(undefined, by("badge-3")), "Good morning, stranger");
  });
});

describe("a day that is closed", () => {
  const ledger = (greatest: number) => {
    const tokens: number[] = [];
    const close = async (_: string, __: number, token: number): Promise<boolean> => {
      tokens.push(token);
      return token > greatest;
    };
    return { tokens, bus: Bus.of([[Ledger, { sold: async () => 7200, close }]]) };
  };

  test("is closed by one run at a time", async () => {
    const { bus } = ledger(0);
    const first = closeDay.execute({ date: "2026-03-01" }, bus);

    assert.equal(codeOf(await closeDay.execute({ date: "2026-03-01" }, bus)), "LOCK_TAKEN");
    assert.equal(await first, "2026-03-01: 7200 cents");
  });

  test("is not written by a run that somebody has overtaken", async () => {
    const { bus, tokens } = ledger(1_000_000);

    assert.equal(await closeDay.execute({ date: "2026-03-01" }, bus), "2026-03-01: somebody else is at it");
    assert.ok((locks.acquire("close-day", 1)?.token ?? 0) > (tokens[0] as number));
  });
});

describe("a run that is kept", () => {
  const freight = { container: "C-7", tonnes: 20 };
  const bookings: string[] = [];
  const port = (load: () => Promise<void>): Port => ({
    book: async (container, order) => {
      bookings.push(`${container} ${order}`);
      return { berth: 4 };
    },
    load,
  });

  test("goes on with what others have left, and books once", async (t) => {
    const stopped = port(async () => {
      t.mock.method(voyages, "append", () => Promise.reject(new Error("The process has ended")));
    });
    const bus = Bus.of([
      [Port, stopped],
      [RunId, "order-17"],
    ]);
    assert.equal(codeOf(await shipFreight.execute(freight, bus)), "CHECKPOINT_FAILED");
    t.mock.reset();

    assert.deepEqual(await goOn(port(async () => {})), ["C-7 at berth 4"]);
    assert.deepEqual(bookings, ["C-7 order-17"]);
    assert.deepEqual(voyages.unfinished(), []);
  });

  test("has an id that is used once", async () => {
    const bus = Bus.of([
      [Port, port(async () => {})],
      [RunId, "order-17"],
    ]);

    assert.equal(codeOf(await shipFreight.execute(freight, bus)), "RUN_TAKEN");
  });
});

describe("a branch", () => {
  test("is taken by lorries alone, and comes back to the line", () => {
    assert.equal(checkIn.execute({ plate: "HH-1", tonnes: 2 }), "HH-1 cars 2500");
    assert.equal(checkIn.execute({ plate: "HH-2", tonnes: 38.5 }), "HH-2 freight 15600");
  });

  test("checks what its own Axon takes", () => {
    assert.equal(codeOf(checkIn.execute({ plate: "HH-3", tonnes: 61 })), "INPUT_INVALID");
  });
});

describe("a jump", () => {
  const on = (...decks: number[]) => stow.execute({ metres: 12, deck: 0 }, Bus.of([[Decks, decks]]));

  test("tries the next deck until one has room", () => {
    assert.equal(on(20), "deck 1");
    assert.equal(on(5, 11, 12), "deck 3");
    assert.deepEqual(errorOf(on(5, 5)), { kind: "full" });
  });

  test("is taken as often as the Axon allows, and no more", () => {
    assert.equal(on(...Array(10).fill(1), 12), "deck 11");
    assert.equal(codeOf(on(...Array(11).fill(1), 12)), "JUMP_LIMIT");
  });
});

test("an event reaches the sink, and the run goes on with its value", () => {
  const before = takings.cents;

  assert.equal(sell.execute({ crossing: "Mull" }), "One to Mull");
  assert.equal(takings.cents - before, 1200);
});

test("Bus keys carry a count, and a discount where there is one", async () => {
  const kit = (season: "summer" | "winter") => new AxonTestKit({ Season: season });
  const pupils = (n: number) => Array<string>(n).fill("pupil");

  assert.equal((await kit("summer").run(groupFare, pupils(2))).outcome, 3000);
  assert.equal((await kit("winter").run(groupFare, pupils(10))).outcome, 7200);
  await assert.rejects(new AxonTestKit().run(groupFare, []), { code: "KEYS_UNPROVIDED" });
});

test("an answer of a server holds what the output schema does, and nothing else", async () => {
  const app = new TestApp(Framework.http().post("/reservations", reserve));
  const { json } = await app.post("/reservations", { json: { email: "ada@example.com", seats: 2 } });

  assert.deepEqual(json, { code: "A-2", seats: 2 });
});

describe("a resource", () => {
  const fake: Timetable = { next: async (harbour) => (harbour === "oban" ? "09:40" : undefined) };

  test("is given to a test as it is to a server", async () => {
    const app = new TestApp(departures(), { Timetable: fake });

    assert.deepEqual((await app.get("/harbours/oban/next")).json, { at: "09:40" });
    assert.equal((await app.get("/harbours/atlantis/next")).problem.code, "NO_SAILING");
  });

  test("is given to a test of one Axon by the name of its key", async () => {
    const { param } = await import("framework");
    const kit = new AxonTestKit({ Timetable: fake }).set(param("harbour"), "oban");

    assert.deepEqual((await kit.run(nextSailing, undefined)).outcome, { at: "09:40" });
  });
});

describe("a subgraph", () => {
  const passport = { number: "c01 x0", expires: 2030 };

  test("is an Axon in the place of a step, and still one of its own", () => {
    assert.deepEqual(identify.execute(passport), { number: "C01X0", expires: 2030 });
    assert.equal(board.execute(passport), "C01X0 may board");
    assert.equal(scan.execute(passport), "C01X0 may pass");
  });

  test("ends its run with its fault, and is tried again whole where it is a step with retries", async () => {
    const { outcome, timeline } = await new AxonTestKit().run(scan, { ...passport, expires: 2020 });

    assert.deepEqual(errorOf(outcome), { kind: "expired", year: 2020 });
    assert.equal(timeline.events.filter(({ node }) => node === "scan/identify/normalise").length, 4);
    assert.deepEqual(errorOf(board.execute({ ...passport, expires: 2020 })), {
      kind: "expired",
      year: 2020,
    });
  });
});

describe("steps that run at once", () => {
  const lines = (offers: Record<string, number>) =>
    Bus.of([
      [
        Lines,
        async (line: string, from: string) => {
          const cents = offers[`${line} ${from}`];
          if (cents === undefined) throw new Error("unreachable");
          return cents;
        },
      ],
    ]);
  const trip = { from: "Oban", to: "Mull" };

  test("all have to succeed for a return trip", async () => {
    const both = lines({ "blue Oban": 1500, "blue Mull": 1700 });

    assert.deepEqual(await returnTrip.execute(trip, both), { cents: 3200 });
    assert.equal(codeOf(await returnTrip.execute(trip, lines({ "blue Oban": 1500 }))), "TRANSITION_PANIC");
  });

  test("may fail where one offer is enough", async () => {
    const two = lines({ "blue Oban": 1500, "white Oban": 1400 });

    assert.deepEqual(await cheapest.execute(trip, two), { cents: 1400 });
    assert.deepEqual(await cheapest.execute(trip, lines({ "blue Oban": 1500 })), { cents: 1500 });
    assert.deepEqual(errorOf(await cheapest.execute(trip, lines({}))), { kind: "no-offer", to: "Mull" });
  });
});

describe("a step that is tried again", () => {
  /** Pays while the bank answers these, one after the other. */
  async function paid(...answers: ("charged" | "declined" | "busy")[]) {
    const clock = new ManualClock();
    const asked: number[] = [];
    const charge = async () => {
      asked.push(clock.now());
      return answers[asked.length - 1] ?? "busy";
    };
    const running = new AxonTestKit({ Bank: { charge } }, { clock }).run(pay, { card: "4711", cents: 900 });
    await clock.advance(10_000);
    return { outcome: (await running).outcome, asked };
  }

  test("waits longer each time, and gives up after the last", async () => {
    assert.deepEqual(await paid("busy", "busy", "charged"), { outcome: "Paid 900", asked: [0, 100, 300] });
    const { outcome, asked } = await paid();
    assert.deepEqual([errorOf(outcome), asked], [{ kind: "busy" }, [0, 100, 300, 700, 1500]]);
  });

  test("is not where trying again is no use", async () => {
    const { outcome, asked } = await paid("declined");

    assert.deepEqual([errorOf(outcome), asked], [{ kind: "declined" }, [0]]);
  });
});

describe("a time limit", () => {
  const ask = async (ms: number) => {
    const clock = new ManualClock();
    const seen: string[] = [];
    const waves = (_: string, signal: AbortSignal) =>
      new Promise<number>((resolve) => {
        signal.addEventListener("abort", () => seen.push("told"));
        clock.after(ms, () => {
          seen.push("answered");
          resolve(2);
        });
      });
    const running = new AxonTestKit({ WeatherService: { waves } }, { clock }).run(clearance, "Oban");
    await clock.advance(1000);
    return { outcome: (await running).outcome, seen };
  };

  test("lets a forecast in time through", async () => {
    assert.deepEqual(await ask(199), { outcome: "sail", seen: ["answered"] });
  });

  test("ends the run without a late one, which is told and not stopped", async () => {
    const { outcome, seen } = await ask(500);

    assert.deepEqual([codeOf(outcome), seen], ["STEP_TIMEOUT", ["told", "answered"]]);
  });
});

describe("a saga", () => {
  async function booked(nights: number, refund: () => Promise<void> = async () => {}) {
    const done: string[] = [];
    const agency: Agency = {
      cabin: async (guest) => {
        done.push(`cabin for ${guest}`);
        return { cabin: 7 };
      },
      freeCabin: async (cabin) => void done.push(`free cabin ${cabin}`),
      charge: async (_, cents) => {
        done.push(`charge ${cents}`);
        return { payment: "p1" };
      },
      refund: async (payment) => {
        done.push(`refund ${payment}`);
        await refund();
      },
      hasRoom: (wanted) => wanted <= 3,
    };
    const clock = new ManualClock();
    const running = new AxonTestKit({ Agency: agency }, { clock }).run(bookHoliday, { guest: "Ada", nights });
    await clock.advance(60_000);
    return { outcome: (await running).outcome, done };
  }

  test("undoes nothing where all goes well", async () => {
    assert.deepEqual(await booked(2), {
      outcome: { guest: "Ada", nights: 2 },
      done: ["cabin for Ada", "charge 18000"],
    });
  });

  test("gives back the money, then the cabin, where the hotel is full", async () => {
    const { outcome, done } = await booked(5);

    assert.deepEqual(errorOf(outcome), { kind: "hotel-full", nights: 5 });
    assert.deepEqual(done, ["cabin for Ada", "charge 45000", "refund p1", "free cabin 7"]);
  });

  test("tries a refund again, as that compensation says", async () => {
    let failures = 5;
    const { done } = await booked(5, async () => {
      failures -= 1;
      if (failures >= 0) throw new Error("the bank is closed");
    });

    assert.equal(done.filter((each) => each === "refund p1").length, 6);
    assert.equal(done.at(-1), "free cabin 7");
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";
import { AxonTestKit, ManualClock } from "framework/runtime";

import { type Agenda, MemoryAgenda } from "./agenda.js";
import { ingress } from "./app.js";
import { book, letters } from "./booking.js";
import type { Payments } from "./payments.js";

const slot = { doctor: "Lund", day: "2030-05-02", time: "09:30" };
const booked = { ...slot, patient: "Ada" };
const booking = { ...booked, card: "4000123412341234" };

/** Gives these results, one after another, then "charged". */
const payments = (...results: Awaited<ReturnType<Payments["charge"]>>[]): Payments => ({
  charge: async () => results.shift() ?? "charged",
});

describe("the clinic over HTTP", () => {
  test("books an appointment, which its day lists", async () => {
    await using app = new TestApp(ingress(), { Agenda: new MemoryAgenda(), Payments: payments() });
    const { status, json } = await app.post("/bookings", { json: booking });

    assert.deepEqual([status, json], [200, booked]);
    assert.deepEqual((await app.get("/doctors/Lund/days/2030-05-02")).json, [booked]);
  });

  test("books one of two requests for the same slot", async () => {
    await using app = new TestApp(ingress(), { Agenda: new MemoryAgenda(), Payments: payments() });
    const responses = await Promise.all([
      app.post("/bookings", { json: booking }),
      app.post("/bookings", { json: { ...booking, patient: "Bo" } }),
    ]);

    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 409]);
  });

  test("refuses a time that is no slot", async () => {
    await using app = new TestApp(ingress(), { Agenda: new MemoryAgenda(), Payments: payments() });
    const { problem } = await app.post("/bookings", { json: { ...booking, time: "09:45" } });

    assert.deepEqual(
      problem.errors?.map(({ pointer }) => pointer),
      ["/time"],
    );
  });
});

describe("a booking", () => {
  /** Moves the clock by hand: no test waits for a retry. */
  async function run(agenda: Agenda, provider: Payments) {
    const clock = new ManualClock();
    const running = new AxonTestKit({ Agenda: agenda, Payments: provider }, { clock }).run(book, booking);
    await clock.advance(10_000);
    return running;
  }

  test("tries a busy provider again, and waits longer each time", async () => {
    const { outcome, assertTimeline } = await run(new MemoryAgenda(), payments("busy", "busy"));

    assert.deepEqual(outcome, booked);
    assertTimeline([
      { kind: "node_retry", attempt: 1, delay_ms: 200 },
      { kind: "node_retry", attempt: 2, delay_ms: 400 },
    ]);
  });

  test("releases its slot if the card is declined", async () => {
    const agenda = new MemoryAgenda();
    const { assertTimeline } = await run(agenda, payments("declined"));

    assertTimeline([{ kind: "compensated", node: "book/reserve" }]);
    assert.deepEqual(await agenda.list("Lund", slot.day), []);
    assert.deepEqual(letters.list(), []);
  });

  test("leaves a dead letter if its slot cannot be released", async () => {
    const agenda = new MemoryAgenda();
    agenda.release = () => Promise.reject(new Error("The agenda does not respond"));
    await run(agenda, payments("declined"));
    const [letter] = letters.list();

    assert.deepEqual([letter?.kind, letter?.node], ["compensation", "book/reserve"]);
    letters.remove(letter?.id ?? "");
  });
});

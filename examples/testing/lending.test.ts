import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { cookie } from "framework";
import { TestApp } from "framework/http";
import { AxonTestKit, ManualClock } from "framework/runtime";

import { lend, library, type Shelf } from "./lending.js";

/** A shelf that gives these answers, one after another. */
const shelf = (...answers: Awaited<ReturnType<Shelf["take"]>>[]): { Shelf: Shelf } => ({
  Shelf: { take: async () => answers.shift() ?? "lent" },
});

describe("the library over HTTP", () => {
  test("lends to who has logged in", async () => {
    await using app = new TestApp(library(), shelf("taken"));
    const ada = app.session();
    const { status, headers } = await ada.post("/login", { form: { name: "Ada" } });
    const loan = await ada.post("/loans", { json: { book: "Emma" } });

    assert.deepEqual([status, headers["location"]], [303, "/"]);
    assert.deepEqual(loan.json, { book: "Emma", reader: "Ada" });
  });

  test("refuses who has not, and what is lent", async () => {
    await using app = new TestApp(library(), shelf("taken", "lent"));
    const stranger = await app.post("/loans", { json: { book: "Emma" } });
    const late = await app.post("/loans", { json: { book: "Emma" }, cookies: { reader: "Ada" } });
    const nothing = await app.post("/loans", { json: { book: "" }, cookies: { reader: "Ada" } });

    assert.equal(stranger.problem.code, "HEADER_MISSING");
    assert.equal(late.problem.code, "LENT");
    assert.equal(nothing.problem.errors?.[0]?.pointer, "/book");
  });
});

describe("lending", () => {
  test("asks a busy shelf again, and waits in between", async () => {
    const clock = new ManualClock();
    const kit = new AxonTestKit(shelf("busy", "busy", "taken"), { clock }).set(cookie("reader"), "Ada");
    const running = kit.run(lend, { book: "Emma" });
    await clock.advance(200);
    const { outcome, assertTimeline } = await running;

    assert.deepEqual(outcome, { book: "Emma", reader: "Ada" });
    assertTimeline([
      { kind: "node_enter", node: "lend:in" },
      { kind: "node_enter", node: "lend/take" },
      { kind: "node_retry", attempt: 1, delay_ms: 100 },
      { kind: "node_retry", attempt: 2, delay_ms: 100 },
      { kind: "node_enter", node: "lend/note" },
    ]);
  });
});

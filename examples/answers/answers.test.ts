import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";

import { ferry } from "./cookies.js";
import { pier } from "./faults.js";
import { desk, type Sold } from "./replies.js";

describe("the ticket desk", () => {
  const open = () => new TestApp(desk(), { Tickets: new Map<string, Sold>() });
  const order = { crossing: "mull", passengers: 2 };

  test("tells where the new ticket is, and nothing that its schema does not name", async () => {
    const { status, headers, json } = await open().post("/tickets", { json: order });

    assert.deepEqual(
      [status, headers["location"], json],
      [201, "/tickets/mull-1", { id: "mull-1", crossing: "mull" }],
    );
  });

  test("shows a ticket as data and as a page", async () => {
    const app = open();
    await app.post("/tickets", { json: { ...order, crossing: "<mull>" } });
    const page = await app.get("/tickets/%3Cmull%3E-1/print");

    assert.deepEqual((await app.get("/tickets/%3Cmull%3E-1")).json, { id: "<mull>-1", crossing: "<mull>" });
    assert.equal(page.text, "<h1>&#60;mull&#62;</h1>");
    assert.deepEqual(
      [page.headers["content-type"], page.headers["cache-control"], page.headers["vary"]],
      ["text/html; charset=utf-8", "no-store", "accept, accept-language"],
    );
    assert.equal((await app.get("/tickets/none")).problem.code, "TICKET_UNKNOWN");
  });

  test("sends visitors on", async () => {
    const { status, headers } = await open().get("/");

    assert.deepEqual([status, headers["location"]], [303, "/tickets/first"]);
  });
});

describe("the pier", () => {
  const app = new TestApp(pier());

  test("answers what a fault says of itself, and 500 where it says nothing", async () => {
    const { problem } = await app.get("/plain/mull");

    assert.deepEqual([problem.status, problem.code, problem["waiting"]], [409, "FULL", 12]);
    assert.equal((await app.get("/plain/skye")).status, 500);
    assert.equal((await app.get("/plain/jura")).text, "welcome aboard");
  });

  test("answers what the route says, and what the fault says where the route says nothing", async () => {
    const { problem, headers } = await app.get("/mapped/skye");

    assert.deepEqual([problem.status, problem.code, headers["retry-after"]], [503, "STORM", "10800"]);
    assert.equal((await app.get("/mapped/mull")).problem.code, "FULL");
  });
});

describe("the ferry", () => {
  const old = { id: "2025", secret: "an old secret of at least thirty-two bytes" };
  const fresh = { id: "2026", secret: "a new secret, of at least thirty-two bytes" };
  /** What a browser sends back of what it was told to keep. */
  const kept = (setCookies: string) =>
    [...setCookies.matchAll(/(__Host-\w+=[^;]+);/g)].map(([, pair]) => pair).join("; ");
  const checkIn = async ({ ingress }: ReturnType<typeof ferry>) =>
    (await new TestApp(ingress).post("/check-in", { json: { name: "Ada", seat: "7b" } })).headers[
      "set-cookie"
    ] ?? "";
  const seatOf = async ({ ingress }: ReturnType<typeof ferry>, cookie: string) =>
    (await new TestApp(ingress).get("/seat", { headers: { cookie } })).text;

  test("knows its passengers, and whoever changed a cookie is nobody", async () => {
    const today = ferry([fresh]);
    const cookie = kept(await checkIn(today));

    assert.equal(await seatOf(today, cookie), "Ada, 7b");
    assert.equal(await seatOf(today, cookie.replace("2026.", "2026.x")), "Somebody, 7b");
    assert.deepEqual(today.refused(), { malformed: 0, unknownKey: 0, forged: 1, expired: 0 });
  });

  test("knows them after its keys were rotated, until the old one is taken away", async () => {
    const cookie = kept(await checkIn(ferry([old])));

    assert.equal(await seatOf(ferry([fresh, old]), cookie), "Ada, 7b");
    assert.equal(await seatOf(ferry([fresh]), cookie), "Somebody, no seat yet");
  });

  test("forgets those who leave", async () => {
    const { headers } = await new TestApp(ferry([fresh]).ingress).post("/leave");

    assert.match(headers["set-cookie"] ?? "", /__Host-name=; Max-Age=0;.*__Host-seat=; Max-Age=0;/);
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";

import { piers } from "./groups.js";
import { harbour } from "./guards.js";
import { ship } from "./layers.js";
import { market } from "./transactions.js";

describe("the harbour", () => {
  const signed = { headers: { "x-call-sign": "PETREL" } };

  test("lets in whom it knows, while it has berths", async () => {
    assert.equal((await new TestApp(harbour(1)).post("/berths", signed)).text, "Welcome, PETREL");
    assert.equal((await new TestApp(harbour(0)).post("/berths", signed)).problem.code, "HARBOUR_FULL");
  });

  test("tells nobody else which paths there are, but everybody the tides", async () => {
    const app = new TestApp(harbour(1));

    assert.equal((await app.get("/elsewhere")).status, 401);
    assert.equal((await app.get("/elsewhere", signed)).status, 404);
    assert.deepEqual((await app.get("/tides")).json, ["06:12", "18:40"]);
  });

  test("is told by its routes", () => {
    assert.deepEqual(
      harbour(1)
        .routes()
        .map(({ method, path, guards }) => [method, path, guards]),
      [
        ["POST", "/berths", ["known-skipper", "berths-left"]],
        ["GET", "/tides", []],
      ],
    );
  });
});

test("the ship's log is for the crew, and each look at it is told", async () => {
  const told: string[] = [];
  const app = new TestApp(ship((line) => told.push(line)));

  assert.equal((await app.get("/log", { headers: { "x-team": "crew" } })).text, "Fair winds");
  assert.equal((await app.get("/log")).status, 403);
  assert.deepEqual(told, ["/log went well", "/log failed"]);
});

test("the piers share their parameter, and the harbour master's notes their limits", async () => {
  const app = new TestApp(piers());
  const master = { "x-role": "harbour-master" };

  assert.deepEqual((await app.get("/piers/3")).json, { pier: "3" });
  const note = await app.post("/piers/3/notes", { headers: master, json: { text: "Rope worn" } });
  assert.deepEqual([note.status, note.json], [201, { pier: "3", text: "Rope worn" }]);
  assert.equal((await app.post("/piers/3/notes", { json: { text: "Rope worn" } })).status, 403);
  const elsewhere = await app.get("/buoys");
  assert.deepEqual([elsewhere.status, elsewhere.text], [404, "Nothing moors at /buoys"]);
});

test("the market's ledger has what was sold, and nothing of what was not", async () => {
  const done: string[] = [];
  const ledger = {
    begin: () => ({
      add: (line: string) => void done.push(line),
      commit: async () => void done.push("commit"),
      rollback: async () => void done.push("rollback"),
    }),
  };
  const app = new TestApp(market(), { Ledger: ledger });

  assert.equal((await app.post("/sales/herring")).text, "Wrapped");
  assert.equal((await app.post("/sales/none")).status, 409);
  await app.get("/");
  assert.deepEqual(done, ["sold herring", "commit", "sold none", "rollback"]);
});

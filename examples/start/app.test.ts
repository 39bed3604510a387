import assert from "node:assert/strict";
import { test } from "node:test";

import { TestApp } from "framework/http";

import { harbour } from "./app.js";

const opened = () => new TestApp(harbour(), { Berths: new Map([["2", ""]]) });
const skipper = { authorization: "Bearer tide-and-time" };

test("a skipper books a free berth, once", async () => {
  await using app = opened();
  const booked = await app.post("/berths/2", { headers: skipper, json: { ship: "Freya" } });
  const again = await app.post("/berths/2", { headers: skipper, json: { ship: "Tern" } });

  assert.deepEqual([booked.status, booked.json], [201, { id: "2", ship: "Freya", by: "Morag" }]);
  assert.deepEqual([again.status, again.problem["code"]], [409, "BERTH_TAKEN"]);
  assert.deepEqual((await app.get("/berths/2")).json, { id: "2", ship: "Freya" });
});

test("nobody books without the token, or with a body against the schema", async () => {
  await using app = opened();

  assert.equal((await app.post("/berths/2", { json: { ship: "Freya" } })).status, 401);
  assert.equal((await app.post("/berths/2", { headers: skipper, json: {} })).status, 422);
  assert.equal((await app.get("/berths/9")).problem["code"], "BERTH_UNKNOWN");
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { TestApp } from "framework/http";

import { ingress } from "./app.js";
import { forecast } from "./work.js";

const demand = { days: 7, perDay: 3 };

/** Asks for the status until the run has ended. */
async function result(app: TestApp<never>, place = ""): Promise<unknown> {
  for (;;) {
    const { json } = await app.get(place);
    if ((json as { state: string }).state !== "running") return json;
    await pause(10);
  }
}

describe("a forecast", () => {
  test("is begun by a request, and found at the address of its response", async () => {
    await using app = new TestApp(ingress());
    const begun = await app.post("/forecasts", { json: demand });
    const { state, output } = (await result(app, begun.headers["location"])) as {
      readonly state: string;
      readonly output: { readonly mean: number; readonly order: number };
    };

    assert.equal(begun.status, 202);
    assert.equal(state, "completed");
    assert.ok(output.mean > 20 && output.mean < 22, `${output.mean} sales in a week of 3 a day`);
    assert.equal(output.order % 12, 0);
  });

  test("does not begin without a demand", async () => {
    await using app = new TestApp(ingress());

    assert.equal((await app.post("/forecasts", { json: { ...demand, days: 0 } })).status, 422);
  });

  test("is the same for the same seed", () => {
    const plan = { ...demand, trials: 1000, seed: 4 };

    assert.deepEqual(forecast(plan), forecast(plan));
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { type HandshakeRefused, TestApp } from "framework/http";

import { auction } from "./auction.js";

describe("the auction", () => {
  test("tells everybody of each higher bid, and of the end", async () => {
    await using app = new TestApp(auction());
    const ada = await app.ws("/lots/clock?name=ada");
    const bob = await app.ws("/lots/clock?name=bob");
    const start = { lot: "clock", amount: 0, by: "nobody" };
    assert.deepEqual([await ada.nextJson(), await bob.nextJson()], [start, start]);

    ada.send({ amount: 10 });
    const first = { lot: "clock", amount: 10, by: "ada" };
    assert.deepEqual([await ada.nextJson(), await bob.nextJson()], [first, first]);
    await app.post("/lots/clock/hammer");

    assert.deepEqual(await bob.nextJson(), { lot: "clock", sold: true, amount: 10, by: "ada" });
    ada.vanish();
    assert.deepEqual(await bob.nextJson(), { lot: "clock", left: "ada" });
  });

  test("refuses bids that are none, or too low, to the bidder alone", async () => {
    await using app = new TestApp(auction());
    const ada = await app.ws("/lots/vase?name=ada");
    await ada.nextJson();
    const codeOf = async () => ((await ada.nextJson()) as { readonly code?: string }).code;

    ada.send({ amount: 0 });
    assert.equal(await codeOf(), "INPUT_INVALID");
    ada.send({ amount: 5 });
    assert.equal(await codeOf(), undefined);
    ada.send({ amount: 5 });
    assert.equal(await codeOf(), "TOO_LOW");
  });

  test("lets in nobody without a name, and no page of another site", async () => {
    await using app = new TestApp(auction());
    const statusOf = (opening: Promise<unknown>) =>
      opening.then(
        () => 101,
        (refused) => (refused as HandshakeRefused).response.status,
      );

    assert.equal(await statusOf(app.ws("/lots/vase")), 403);
    assert.equal(
      await statusOf(app.ws("/lots/vase?name=eve", { headers: { origin: "https://evil.example" } })),
      403,
    );
    assert.equal(
      await statusOf(app.ws("/lots/vase?name=ada", { headers: { origin: "https://auction.example" } })),
      101,
    );
  });
});

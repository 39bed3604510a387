import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";

import { type Part, shop } from "./catalogue.js";

const parts: readonly Part[] = Array.from({ length: 100 }, (_, n) => ({
  id: `p-${n}`,
  name: `bolt M${n}`,
  weight: n * 3,
}));
const headers = { "accept-encoding": "gzip, deflate, br" };

describe("the shop for spare parts", () => {
  const open = () => new TestApp(shop(), { Parts: parts });

  test("sends its catalogue compressed, and small where that is long", async () => {
    const answer = await open().get("/parts", { headers });

    assert.deepEqual(answer.json, parts);
    assert.equal(answer.headers["content-encoding"], "br");
    assert.ok(Number(answer.headers["content-length"]) < answer.bytes.length / 3);
  });

  test("sends drawings as they are, and pages that show a secret", async () => {
    const app = open();
    for (const target of ["/parts/drawing", `/account?q=${"a".repeat(40)}`]) {
      const answer = await app.get(target, { headers });

      assert.equal(answer.status, 200);
      assert.deepEqual([answer.headers["content-encoding"], answer.headers["vary"]], [undefined, undefined]);
    }
  });
});

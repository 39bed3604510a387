import assert from "node:assert/strict";
import { describe, test } from "node:test";

import * as fastCheck from "fast-check";

import type { FuzzRequest } from "#fuzz/fuzz-request.js";
import { reduced } from "#fuzz/reduction.js";

const put = (id: string): FuzzRequest => ({ route: "PUT /:id", params: { id } });
const get = (id: string): FuzzRequest => ({ route: "GET /:id", params: { id } });

/** Fails if an item was put before the same one is asked for. */
const fails = async (requests: readonly FuzzRequest[]): Promise<boolean> => {
  const last = requests.at(-1);
  const before = requests.slice(0, -1);
  return (
    last?.route === "GET /:id" &&
    before.some((request) => request.route === "PUT /:id" && request.params?.["id"] === last.params?.["id"])
  );
};

describe("a reduction", () => {
  const many = [
    put("amber"),
    get("birch"),
    put("cedar"),
    put("delta"),
    get("amber"),
    put("ember"),
    get("cedar"),
  ];

  // FZ2: what is left fails.
  test("leaves the requests that a failure needs, without fast-check too", async () => {
    assert.deepEqual(await reduced(many, fails, undefined), [put("cedar"), get("cedar")]);
  });

  test("finds no requests for what does not fail again", async () => {
    assert.equal(await reduced([get("amber")], fails, fastCheck), undefined);
  });

  test("shrinks what is in a request, and keeps what the failure needs", async () => {
    const given: FuzzRequest = {
      route: "POST /",
      as: "clerk",
      peer: "127.1.0.1",
      headers: { "x-a": "amber", "content-type": "application/json" },
      query: { page: ["1", "22"] },
      json: {
        lines: [
          { sku: "birch", qty: -12 },
          { sku: "tea\u{1f600}", qty: 70.5 },
        ],
        note: null,
        isPaid: true,
      },
    };
    const isLarge = async ([request]: readonly FuzzRequest[]) => {
      const { lines = [] } = (request?.json ?? {}) as { lines?: { qty?: number; sku?: string }[] };
      return lines.some(({ qty = 0, sku }) => qty > 50 && sku?.includes("\u{1f600}") === true);
    };

    assert.deepEqual(await reduced([given], isLarge, fastCheck), [
      { route: "POST /", json: { lines: [{ sku: "\u{1f600}", qty: 70.5 }] } },
    ]);
  });

  test("begins no more than 400 applications", async () => {
    let begun = 0;
    const text = "abcdefgh".repeat(40);
    await reduced(
      [{ route: "POST /", text, params: { id: text } }],
      async () => {
        begun += 1;
        return begun < 2 || begun % 7 === 0;
      },
      fastCheck,
    );

    assert.ok(begun <= 400, `${begun}`);
  });
});

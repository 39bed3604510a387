import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { MAX_BODY_LIMIT } from "#core/flow/guard.js";
import { readBody } from "#http/exchange/body.js";
import { Deadlines } from "#http/native/deadlines.js";
import { CHUNKED } from "#http/native/framing.js";
import { openedExchange } from "../../support/opened-exchange.js";

function reading(bodyLength: number, limit = 10) {
  const { response, exchange } = openedExchange({ bodyLength });
  const deadlines = new Deadlines(250);
  const told: string[] = [];
  readBody(exchange, limit, deadlines, {
    received: (_, body) => told.push(`received ${Buffer.from(body)}`),
    refused: (_, refusal) => told.push(`${refusal.problem.code}${refusal.ends ? " ends" : ""}`),
  });
  return { response, deadlines, told };
}

describe("reading a body", () => {
  test("gives it in one piece, however it came", () => {
    for (const pieces of [["hello"], ["he", "llo"], ["h", "", "ello", ""]]) {
      for (const length of [5, CHUNKED]) {
        const { response, told } = reading(length);
        pieces.forEach((piece, i) => {
          response.data(piece, i === pieces.length - 1);
        });

        assert.deepEqual(told, ["received hello"]);
      }
    }
  });

  test("gives an empty one too", () => {
    const { response, told } = reading(CHUNKED);
    response.data("", true);

    assert.deepEqual(told, ["received "]);
  });

  test("grows for chunks that do not say how many they are", () => {
    const { response, told } = reading(CHUNKED, 100_000);
    const piece = "x".repeat(9000);
    for (let i = 0; i < 5; i += 1) response.data(piece, i === 4);

    assert.equal(told[0]?.length, "received ".length + 45_000);
  });

  test("refuses by its length what is larger than the limit, before it is read", () => {
    assert.deepEqual(reading(11).told, ["BODY_TOO_LARGE ends"]);
    assert.deepEqual(reading(10).told, []);
  });

  test("takes no more in one piece than memory does, whatever is allowed", () => {
    assert.deepEqual(reading(2 ** 31, MAX_BODY_LIMIT).told, ["BODY_TOO_LARGE ends"]);
    assert.deepEqual(reading(2 ** 31 - 1, MAX_BODY_LIMIT).told, []);
  });

  test("refuses what turns out larger than the limit, as soon as it is counted", () => {
    const { response, told } = reading(CHUNKED);
    response.data("123456", false);
    response.data("78901", false);
    response.data("x", true);
    const whole = reading(CHUNKED);
    whole.response.data("12345678901", true);

    assert.deepEqual([told, whole.told], [["BODY_TOO_LARGE ends"], ["BODY_TOO_LARGE ends"]]);
  });

  test("takes what is exactly the limit", () => {
    const { response, told } = reading(CHUNKED);
    response.data("12345", false);
    response.data("67890", true);

    assert.deepEqual(told, ["received 1234567890"]);
  });

  test("is refused when it takes too long, and what comes later is not heard", () => {
    const { response, deadlines, told } = reading(5);
    response.data("he", false);
    deadlines.tick();
    deadlines.tick();
    response.data("llo", true);

    assert.deepEqual(told, ["BODY_TIMEOUT ends"]);
  });

  test("is forgotten when the client goes away", () => {
    const { response, deadlines, told } = reading(5);
    response.data("he", false);
    response.abort();
    deadlines.tick();
    deadlines.tick();
    response.data("llo", true);

    assert.deepEqual(told, []);
  });
});

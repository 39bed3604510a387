import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { MemoryResponse } from "#http/exchange/memory/memory-response.js";

describe("a response in memory", () => {
  test("is as strict as the engine", () => {
    const response = new MemoryResponse(() => {});

    assert.throws(() => response.requireGuarded(), /neither an answer nor an abort handler/);
    response.end("x");
    assert.throws(() => response.end("y"), /after its end/);
    assert.throws(() => response.cork(() => {}), /after its end/);
    assert.throws(() => response.pause(), /after its end/);
  });

  test("ends when the server closes it", () => {
    let ended = 0;
    const response = new MemoryResponse(() => {
      ended += 1;
    });
    response.close();
    response.close();

    assert.equal(ended, 1);
  });

  test("holds its client while it is paused", async () => {
    const response = new MemoryResponse(() => {});
    const reading = () => response.reading;
    assert.equal(reading(), undefined);
    response.pause().pause();
    const waiting = reading();
    assert.ok(waiting instanceof Promise);
    response.resume();

    await waiting;
    assert.equal(reading(), undefined);
    response.pause();
    const over = reading();
    response.abort();
    await over;
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Deadlines } from "#http/native/deadlines.js";
import { Ending } from "#http/websocket/ending.js";

/** On a clock that the test moves: 1 s are 4 ticks. */
function waiting() {
  const deadlines = new Deadlines(5000);
  let isCut = false;
  const ending = new Ending(1000, "", deadlines, () => {
    isCut = true;
  });
  const pass = (seconds: number): void => {
    for (let ticks = 0; ticks < seconds * 4; ticks += 1) deadlines.tick();
  };
  return { ending, pass, isCut: () => isCut };
}

describe("a close frame that waits for the peer to read", () => {
  test("is given up after 5 s in which nothing was read", () => {
    const { pass, isCut } = waiting();

    pass(5);
    assert.equal(isCut(), false);
    pass(1);
    assert.equal(isCut(), true);
  });

  test("waits while something is read, for 30 s at most", () => {
    const { ending, pass, isCut } = waiting();

    for (let seconds = 0; seconds < 28; seconds += 4) {
      pass(4);
      ending.renew();
    }
    pass(4);
    assert.equal(isCut(), false);
    ending.renew();
    pass(2);
    assert.equal(isCut(), true);
  });

  test("is not given up once it was sent", () => {
    const { ending, pass, isCut } = waiting();

    ending.end();
    pass(6);

    assert.equal(isCut(), false);
  });
});

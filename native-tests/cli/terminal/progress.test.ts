import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { progressLine } from "../../../src/cli/terminal/progress.js";

function progress(isTerminal: boolean) {
  const clock = { ms: 0 };
  let written = "";
  const err = (text: string): void => {
    written += text;
  };
  const line = progressLine({ out: () => {}, err, isTerminal }, () => clock.ms);
  return { clock, line, written: () => written };
}

describe("the progress of a command", () => {
  test("is one line of a terminal, which is removed at the end", () => {
    const { clock, line, written } = progress(true);
    clock.ms = 1000;
    line.show("16 of 20");
    clock.ms = 1100;
    line.show("18 of 20");
    line.end();

    assert.equal(written(), "\r\u001b[K16 of 20\r\u001b[K18 of 20\r\u001b[K");
  });

  test("is not shown in the first second, nor more than ten times in a second", () => {
    const { clock, line, written } = progress(true);
    clock.ms = 999;
    line.show("early");
    clock.ms = 1000;
    line.show("first");
    clock.ms = 1099;
    line.show("soon");

    assert.equal(written(), "\r\u001b[Kfirst");
  });

  test("is nothing where there is no terminal", () => {
    const { clock, line, written } = progress(false);
    clock.ms = 5000;
    line.show("16 of 20");
    line.end();

    assert.equal(written(), "");
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { LineOutput } from "#telemetry/logging/line-output.js";
import { until } from "../../support/patience.js";

const failure = (code: string) => Object.assign(new Error(code), { code });

/** A pipe that takes bytes as long as it has room, and then says EAGAIN. */
function pipe(room: number, maxBytes?: number) {
  const state = {
    room,
    taken: "",
    writes: [] as number[],
    broken: undefined as string | undefined,
    slept: 0,
    onSleep: () => {},
  };
  const output = new LineOutput(
    (bytes) => {
      if (state.broken !== undefined) throw failure(state.broken);
      if (state.room === 0) throw failure("EAGAIN");
      const count = Math.min(state.room, bytes.length);
      state.room -= count;
      state.writes.push(count);
      state.taken += Buffer.from(bytes.subarray(0, count)).toString("latin1");
      return count;
    },
    {
      ...(maxBytes !== undefined && { maxBytes }),
      sleep: (ms) => {
        state.slept += ms;
        state.onSleep();
      },
    },
  );
  output.onRecovered = (dropped) => output.write(`dropped ${dropped}\n`);
  return { state, output };
}

describe("an output of lines", () => {
  test("has written a line when write returns", () => {
    const { state, output } = pipe(100);
    output.write("one\n");

    assert.equal(state.taken, "one\n");
  });

  test("gathers lines of a turn that may wait, and writes them at once, in order", async () => {
    const { state, output } = pipe(100);
    output.gather("one\n");
    output.gather("two\n");
    assert.equal(state.taken, "");
    output.write("three\n");
    output.gather("four\n");
    assert.equal(state.taken, "one\ntwo\nthree\n");
    await new Promise(setImmediate);

    assert.equal(state.taken, "one\ntwo\nthree\nfour\n");
  });

  test("writes gathered lines when it is flushed, and before they are many", () => {
    const { state, output } = pipe(200_000);
    output.gather("one\n");
    output.flush();
    assert.equal(state.taken, "one\n");
    output.gather(`${"x".repeat(70_000)}\n`);

    assert.equal(state.taken.length, 70_005);
  });

  test("writes of gathered lines at once what a pipe takes whole, but for one that is longer", () => {
    const { state, output } = pipe(1_000_000);
    const lengths = [...Array.from({ length: 100 }, (_, i) => i * 10), 4094, 4095, 4096, 9000, 3];
    const lines = lengths.map((length) => `${"x".repeat(length)}\n`);
    for (const line of lines) output.gather(line);
    output.gather(`${"\u20ac".repeat(1400)}\n`);
    output.flush();

    assert.equal(state.taken.slice(0, lines.join("").length), lines.join(""));
    assert.deepEqual(
      state.writes.filter((count) => count > 4096),
      [4097, 9001, 4201],
    );
    assert.ok(state.writes.length < lines.length / 2, "several at once");
  });

  test("formats gathered lines together, each as whoever gathers it has it", () => {
    const { state, output } = pipe(100);
    const loud = (lines: readonly string[]) => lines.join("").toUpperCase();
    const counted = (lines: readonly string[]) => `${lines.length}:${lines.join("")}`;
    output.gather("one\n");
    output.gather("two\n", loud);
    output.gather("three\n", counted);
    output.gather("four\n", counted);
    output.gather("five\n");
    output.flush();

    assert.equal(state.taken, "one\nTWO\n2:three\nfour\nfive\n");
  });

  test("writes what a format makes longer in lines that a pipe takes whole", () => {
    const { state, output } = pipe(200_000);
    const longer = (lines: readonly string[]) => lines.map((line) => line.repeat(40)).join("");
    for (let i = 0; i < 30; i += 1) output.gather(`${"x".repeat(99)}\n`, longer);
    output.gather("no line feed", longer);
    output.flush();

    assert.ok(state.writes.every((count) => count <= 4096));
    assert.ok(state.writes.length < 40, "several at once");
    assert.equal(state.taken, `${"x".repeat(99)}\n`.repeat(1200) + "no line feed".repeat(40));
  });

  test("counts each line that it drops of gathered ones", async () => {
    const { state, output } = pipe(0, 8);
    output.write("one\n");
    for (const line of ["two\n", "three\n"]) output.gather(line);
    await new Promise(setImmediate);
    state.room = 100;
    output.flush();

    assert.equal(state.taken, "one\ndropped 2\n");
  });

  test("keeps what is not taken, in order, and cuts no line", () => {
    const { state, output } = pipe(6);
    for (const line of ["one\n", "two\n", "three\n"]) output.write(line);
    assert.equal(state.taken, "one\ntw");

    state.room = 100;
    output.flush();
    assert.equal(state.taken, "one\ntwo\nthree\n");
  });

  test("tries again by itself", async () => {
    const { state, output } = pipe(0);
    output.write("one\n");
    state.room = 100;
    // Unreferenced timers fire as long as something else is waited for.
    await until("it is taken", () => state.taken !== "");

    assert.equal(state.taken, "one\n");
  });

  test("drops whole lines above its bound, and tells how many once lines are taken again", () => {
    const { state, output } = pipe(2, 8);
    for (const line of ["one\n", "two\n", "three\n", "4\n"]) output.write(line);

    state.room = 100;
    output.flush();
    output.write("five\n");
    assert.equal(state.taken, "one\ntwo\n4\ndropped 1\nfive\n");
  });

  test("waits at the end as long as something is taken, and half a second for nothing", () => {
    const { state, output } = pipe(0);
    for (let i = 0; i < 20; i += 1) output.write("a line\n");
    state.onSleep = () => {
      if (state.taken.length < 70) state.room = 1;
    };
    output.flush();

    assert.equal(state.taken.length, 70);
    assert.equal(state.slept, 70 * 10 + 490);
  });

  test("loses lines where nobody can take them, without a throw, and counts them", () => {
    const { state, output } = pipe(100);
    for (const code of ["EPIPE", "ENOSPC", "EIO"]) {
      state.broken = code;
      output.write("lost\n");
    }
    state.broken = undefined;
    output.write("back\n");

    assert.equal(state.taken, "back\ndropped 3\n");
  });

  test("forgets what it keeps where its reader goes away", () => {
    const { state, output } = pipe(2);
    output.write("one\n");
    output.write("two\n");
    state.broken = "EPIPE";
    output.flush();
    state.broken = undefined;
    state.room = 100;
    output.write("three\n");

    assert.equal(state.slept, 0);
    assert.equal(state.taken, "onthree\ndropped 2\n");
  });

  test("takes whole lines in order, and counts the others, however its reader reads", () => {
    const event = fc.oneof(
      fc.record({ write: fc.integer({ min: 1, max: 12 }) }),
      fc.record({ gather: fc.integer({ min: 1, max: 12 }) }),
      fc.record({ room: fc.integer({ min: 0, max: 20 }) }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const { state, output } = pipe(0, 30);
        let written = 0;
        for (const step of events) {
          if ("room" in step) {
            state.room = step.room;
            output.flush();
          } else {
            if ("gather" in step) output.gather(`${written}:${"x".repeat(step.gather)}\n`);
            else output.write(`${written}:${"x".repeat(step.write)}\n`);
            written += 1;
          }
        }
        state.room = 10_000;
        output.flush();

        const lines = state.taken.split("\n").slice(0, -1);
        const dropped = lines.flatMap((line) => /^dropped (\d+)$/.exec(line)?.[1] ?? []).map(Number);
        const numbers = lines.flatMap((line) => /^(\d+):x+$/.exec(line)?.[1] ?? []).map(Number);
        assert.equal(numbers.length + dropped.length, lines.length, "no line is cut");
        assert.deepEqual(
          numbers,
          numbers.toSorted((a, b) => a - b),
        );
        const lost = dropped.reduce((sum, count) => sum + count, 0);
        assert.ok(numbers.length + lost <= written);
        if (lines.length > 0 && lost === 0) assert.equal(numbers.length, written);
      }),
    );
  });
});

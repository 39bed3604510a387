import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { NUMBERS_A_SECOND, RoomGaps } from "#store/redis/room-gaps.js";

const FIRST = 1_700_000_000 * NUMBERS_A_SECOND;

/** A watched room, and what was missed in it. */
function watched({ isConnected = true } = {}) {
  const missed: (number | undefined)[] = [];
  const gaps = new RoomGaps((_, count) => missed.push(count));
  gaps.watch("room", isConnected);
  return {
    gaps,
    missed,
    arrive: (...numbers: readonly number[]) => {
      for (const n of numbers) gaps.arrived("room", FIRST + n);
    },
    mark: (n?: number) => gaps.marked("room", n === undefined ? undefined : FIRST + n),
  };
}

describe("gaps in the messages of a room", () => {
  test("are none where each number follows the one before, also from the first of the room on", () => {
    const { missed, arrive, mark } = watched();
    mark();
    arrive(1, 2, 3);
    mark(3);
    arrive(4);

    assert.deepEqual(missed, []);
  });

  test("are the numbers left out, also before the first that arrives", () => {
    const { missed, arrive, mark } = watched();
    mark();
    arrive(3, 4, 9);

    assert.deepEqual(missed, [2, 4]);
  });

  test("are not what was published before the room was watched", () => {
    const { missed, arrive, mark } = watched();
    arrive(7);
    mark(7);
    arrive(8);

    assert.deepEqual(missed, []);
  });

  // RG1: what arrived on the new connection before the mark is not counted again.
  test("are counted by the mark of a new connection", () => {
    const { gaps, missed, arrive, mark } = watched();
    mark(5);
    gaps.disconnected();
    mark(8);
    gaps.disconnected();
    arrive(11);
    mark(12);

    assert.deepEqual(missed, [3, 2, 1]);
  });

  // RG3: also where one of them comes back, and where Redis answers after it came back.
  test("do not count messages of this process", () => {
    const { gaps, missed, arrive, mark } = watched();
    const send = (...numbers: readonly number[]) => {
      for (const n of numbers) gaps.sent("room", FIRST + n);
    };
    mark(5);
    gaps.disconnected();
    send(6, 8, 11);
    mark(9);
    arrive(10, 11);
    send(11, 12);
    gaps.disconnected();
    mark(12);
    arrive(13);

    assert.deepEqual(missed, [2]);
  });

  // RG2: neither a counter that is gone, nor one that began anew, shows how many messages there were.
  test("are of unknown size where the counter was lost", () => {
    const { gaps, missed, arrive, mark } = watched();
    mark(5);
    gaps.disconnected();
    mark();
    arrive(NUMBERS_A_SECOND + 1);
    arrive(60 * NUMBERS_A_SECOND + 1);
    arrive(4);

    assert.deepEqual(missed, [undefined, undefined, undefined]);
  });

  test("are unknown where the room was watched without a connection, or lost it before its mark", () => {
    const early = watched({ isConnected: false });
    early.mark(5);
    const cut = watched();
    cut.gaps.disconnected();
    cut.mark(5);

    assert.deepEqual([early.missed, cut.missed], [[undefined], [undefined]]);
  });

  test("are looked for until the last has stopped watching", () => {
    const { gaps, missed, arrive, mark } = watched();
    assert.equal(gaps.watch("room", true), false);
    mark(1);
    gaps.unwatch("room");
    arrive(3);
    gaps.unwatch("room");
    gaps.unwatch("room");
    arrive(9);

    assert.deepEqual([missed, gaps.unmarked], [[1], []]);
  });
});

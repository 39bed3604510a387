import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { FeedEvent } from "#inspector/api/events.js";
import { lostEvents } from "#inspector/feed/lost-events.js";

const exit = (circuit: string, node: string): FeedEvent =>
  ({ kind: "node_exit", circuit, node }) as FeedEvent;

describe("events that are lost", () => {
  test("are counted by their kind, circuit and node", () => {
    const stall = { kind: "stall_ended", node: "c/n" } as FeedEvent;
    const { groups, unknown } = lostEvents(
      [exit("c", "c/n"), stall, exit("d", "d/n"), exit("c", "c/n"), stall],
      7,
      true,
    );

    assert.deepEqual(groups, [
      { kind: "node_exit", circuit: "c", node: "c/n", count: 2 },
      { kind: "stall_ended", circuit: null, node: "c/n", count: 2 },
      { kind: "node_exit", circuit: "d", node: "d/n", count: 1 },
    ]);
    assert.equal(unknown, 7);
  });

  test("are counted by their kind alone behind 200 groups", () => {
    const many = Array.from({ length: 1000 }, (_, n) => exit("c", `c/${n % 500}`));
    const { groups } = lostEvents(many, 0, true);

    assert.equal(groups.length, 201);
    assert.deepEqual(groups.at(-1), { kind: "node_exit", circuit: null, node: null, count: 600 });
    assert.deepEqual(
      groups.slice(0, 200).map(({ node, count }) => [node, count]),
      Array.from({ length: 200 }, (_, n) => [`c/${n}`, 2]),
    );
  });

  test("with long names are counted by their kind alone behind 32 KiB of names", () => {
    const name = "n".repeat(1000);
    const many = Array.from({ length: 100 }, (_, n) => exit(`${name}${n}`, name));
    const { groups } = lostEvents(many, 0, true);

    assert.ok(JSON.stringify(groups).length < 40_000);
    assert.equal(
      groups.reduce((sum, { count }) => sum + count, 0),
      100,
    );
  });

  test("are looked at once each, and not written as JSON", (t) => {
    const { mock } = t.mock.method(JSON, "stringify");
    let looks = 0;
    const event = Object.defineProperty({ kind: "circuit_exit" }, "run", {
      get: () => {
        looks += 1;
        return { circuit: "c" };
      },
    }) as FeedEvent;
    lostEvents(
      Array.from({ length: 100 }, () => event),
      0,
      true,
    );

    assert.deepEqual([looks, mock.callCount()], [100, 0]);
  });
});

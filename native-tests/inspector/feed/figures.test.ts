// Figures in the feed: what a subscription selects of them, and in how many messages they come.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import type { FeedEvent } from "#inspector/api/events.js";
import { Feed } from "#inspector/feed/feed.js";
import { figureJoiner, joinFigures } from "#inspector/ui/state/joined-figures.js";
import { circuitOf, figuresOf, listener, nodeOf } from "../../support/figures-of.js";

const MAX_BYTES = 262_144;
const clock = { now: () => 10_000, after: () => () => {} };
const nodesOf = (circuit: string, count: number, name = "n") =>
  Array.from({ length: count }, (_, n) => nodeOf(`${circuit}/${name}${n}`));
const ids = ({ nodes }: { nodes: { node: string }[] }): string[] => nodes.map(({ node }) => node);

/** The circuits and nodes of the newest event, by circuit. */
const seen = (events: readonly Extract<FeedEvent, { kind: "metrics" }>[]) =>
  Object.fromEntries(events.at(-1)?.metrics.circuits.map((row) => [row.circuit, ids(row)]) ?? []);

describe("metrics in the feed", () => {
  const figures = () =>
    figuresOf([
      circuitOf("a", [
        ...[nodeOf("a/in", 9000, 0, "Ingress"), nodeOf("a/guard", 1, 3, "Guard")],
        ...[nodeOf("a/slow", 800), ...nodesOf("a", 3)],
      ]),
      circuitOf("b", nodesOf("b", 2)),
    ]);
  function sent(subscription: object) {
    const feed = new Feed({ clock });
    const { wire } = listener(feed, subscription);
    feed.tell({ kind: "metrics", metrics: figures() });
    feed.flush();
    return wire.figures();
  }

  test("are whole for a subscription that selects nothing", () => {
    const [event, ...more] = sent({});

    assert.deepEqual([event?.metrics, more.length, event?.part], [figures(), 0, undefined]);
  });

  test("have the circuits and nodes of the subscription", () => {
    assert.deepEqual(seen(sent({ circuits: ["b"] })), { b: ["b/n0", "b/n1"] });
    assert.deepEqual(seen(sent({ nodes: ["b/n1"] })), { a: [], b: ["b/n1"] });
    assert.deepEqual(seen(sent({ circuits: ["a"], nodes: ["a/n1", "b/n1"] })), { a: ["a/n1"] });
    assert.deepEqual(seen(sent({ nodes: [] })), { a: [], b: [] });
    assert.deepEqual(seen(sent({ circuits: ["none"] })), {});
  });

  test("have all nodes of the named circuits, and of others the slowest and those that refused", () => {
    assert.deepEqual(seen(sent({ node_metrics_of: ["b"] })), {
      a: ["a/guard", "a/slow"],
      b: ["b/n0", "b/n1"],
    });
    assert.deepEqual(seen(sent({ node_metrics_of: [], nodes: ["a/slow"] })), { a: ["a/slow"], b: [] });
  });

  test("come again with the next message where a subscription names other circuits, but none from before the client", () => {
    const feed = new Feed({ clock });
    feed.tell({ kind: "metrics", metrics: figures() });
    const { wire, subscribe } = listener(feed, { node_metrics_of: [] });
    feed.flush();
    assert.equal(wire.figures().length, 0);
    feed.tell({ kind: "metrics", metrics: figures() });
    feed.flush();
    subscribe({ node_metrics_of: ["b"] });
    feed.flush();
    feed.flush();

    assert.equal(wire.figures().length, 2);
    assert.deepEqual(seen(wire.figures())["b"], ["b/n0", "b/n1"]);
  });

  test("are parts of at most 256 KiB that join to the whole, whatever is many or long", () => {
    const size = fc.record({
      circuits: fc.integer({ min: 0, max: 80 }),
      nodes: fc.integer({ min: 0, max: 30 }),
      most: fc.integer({ min: 0, max: 1314 }),
      routes: fc.integer({ min: 0, max: 3000 }),
      // Two and three bytes a character.
      name: fc.constantFrom("n", "n".repeat(200), "ü".repeat(200), "節".repeat(200)),
    });
    fc.assert(
      fc.property(size, ({ circuits, nodes, most, routes, name }) => {
        const feed = new Feed({ clock });
        const { wire } = listener(feed);
        const small = Array.from({ length: circuits }, (_, n) =>
          circuitOf(`c${n}${name}`, nodesOf(`c${n}`, nodes, name)),
        );
        const all = figuresOf([...small, circuitOf("large", nodesOf("large", most, name))], routes);
        feed.tell({ kind: "metrics", metrics: all });
        feed.flush();

        assert.ok(wire.texts.every((text) => Buffer.byteLength(text) <= MAX_BYTES));
        const events = wire.figures();
        if (events.length > 1)
          assert.deepEqual(
            events.map(({ part }) => part),
            events.map((_, n) => ({ n: n + 1, of: events.length })),
          );
        assert.deepEqual(events.map(({ metrics }) => metrics).reduce(joinFigures), all);
      }),
      { numRuns: 30 },
    );
  });

  test("are joined by the page only if no part is missing, and the next figures are whole again", () => {
    const joined = figureJoiner();
    const all = figuresOf([circuitOf("a", nodesOf("a", 1))]);
    const part = (n: number, metrics = all) =>
      joined({ seq: 1, at: 1, kind: "metrics", metrics, part: { n, of: 3 } });

    assert.deepEqual([part(1), part(3), part(2)], [undefined, undefined, undefined]);
    assert.deepEqual([part(1), part(2, { ...all, at: 7 }), part(3)], [undefined, undefined, undefined]);
    assert.deepEqual([part(1), part(2), part(3)?.circuits[0]?.nodes.length], [undefined, undefined, 3]);
    assert.equal(joined({ seq: 2, at: 2, kind: "metrics", metrics: all }), all);
  });

  test("wait for a client that reads slowly, and are those of its newest subscription", () => {
    const feed = new Feed({ clock });
    const { wire, subscribe } = listener(feed);
    feed.tell({ kind: "metrics", metrics: figuresOf([circuitOf("a", nodesOf("a", 1314))]) });
    const send = wire.send.bind(wire);
    wire.send = (text) => {
      wire.bufferedAmount += Buffer.byteLength(text as string);
      return send(text);
    };
    feed.flush();
    feed.flush();
    const before = wire.figures();
    assert.ok(before.length < (before[0]?.part?.of ?? 0), "The rest waits");
    assert.ok(wire.bufferedAmount < 3 * MAX_BYTES);

    wire.bufferedAmount = 0;
    feed.flush();
    assert.deepEqual(wire.figures()[before.length]?.part?.n, before.length + 1, "It goes on where it was");
    wire.bufferedAmount = 0;
    subscribe({ circuits: ["a"], nodes: ["a/n7"] });
    feed.flush();
    feed.flush();
    assert.deepEqual(seen(wire.figures()), { a: ["a/n7"] });
  });
});

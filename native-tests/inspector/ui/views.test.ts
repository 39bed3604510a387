// What views make of what they are given, without a browser.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { parseForm, treeOf } from "#http/input/form-fields.js";
import { Refusal } from "#http/refusal/refusal.js";
import type { TraceNode } from "../../../src/inspector/api/traces.js";
import { nodeName } from "../../../src/inspector/ui/format/node-name.js";
import { durationText, microseconds } from "../../../src/inspector/ui/format/typed-duration.js";
import { findAll, type Target } from "../../../src/inspector/ui/frame/search-targets.js";
import { jsonTokens, prettyJson } from "../../../src/inspector/ui/json/json-tokens.js";
import { Series } from "../../../src/inspector/ui/state/series.js";
import { placeOf } from "../../../src/inspector/ui/url/place.js";
import { figuresOf } from "../../../src/inspector/ui/views/circuit/figures.js";
import { openIn, printOpen } from "../../../src/inspector/ui/views/circuit/open-subgraphs.js";
import { emptyStream, releaseAll, takeBatch } from "../../../src/inspector/ui/views/live/live-rows.js";
import { bySeverity, refusals, slowestNode } from "../../../src/inspector/ui/views/overview/severity.js";
import { piecesOf, ticksOf } from "../../../src/inspector/ui/views/run/bars.js";
import { queryOf } from "../../../src/inspector/ui/views/runs/run-filters.js";
import { FORM, formText } from "../../../src/inspector/ui/views/send/form-text.js";
import { bodyWith, headersOf, pathFor, pathWith } from "../../../src/inspector/ui/views/send/request-text.js";
import type { Unnumbered } from "../../support/inspector-fixture.js";
import { metricsOf, placeOrder } from "../../support/inspector-fixture-data.js";
import { busyState } from "../../support/inspector-fixture-state.js";

const JSON_TYPE = "application/json";
const { circuits } = metricsOf(busyState().loads, 0);
const named = (name: string) => circuits.find(({ circuit }) => circuit === name) as (typeof circuits)[number];

describe("what hurts", () => {
  test("is what faults most, then what is slow", () => {
    assert.deepEqual(
      bySeverity(circuits, 60).map(({ circuit }) => circuit),
      ["place-order", "checkout", "list-products", "cancel-order", "read-order", "export-ledger"],
    );
  });

  test("keeps its order while figures change a little", () => {
    const orders = [0, 1, 2, 3, 4].map((beat) =>
      bySeverity(metricsOf(busyState().loads, 0, beat).circuits, 60),
    );

    assert.equal(new Set(orders.map((all) => all.map(({ circuit }) => circuit).join())).size, 1);
  });

  test("is the slowest node that works itself, and the guard that refuses most", () => {
    assert.equal(slowestNode(named("place-order"), 60)?.node.label, "reserve");
    assert.deepEqual(
      refusals(named("place-order"), 60).map(({ node }) => nodeName(node)),
      ["RateLimitGuard", "customers"],
    );
    assert.equal(slowestNode(named("export-ledger"), 60), undefined);
  });
});

describe("with too few samples", () => {
  /** As the circuit is, with so many of a node's runs timed. */
  const thinned = (samplesOf: (label: string) => number) => {
    const circuit = named("place-order");
    const nodes = circuit.nodes.map((node) => ({
      ...node,
      windows: node.windows.map((window) => ({ ...window, samples: samplesOf(node.label) })),
    }));
    return { ...circuit, nodes };
  };

  test("a node's slowest run is not compared with the p99 of another", () => {
    const mixed = thinned((label) => (label === "reserve" ? 99 : 100));
    const slowest = slowestNode(mixed, 60);

    assert.notEqual(slowest?.node.label, "reserve");
    assert.equal(slowest?.by, "p99_us");
    assert.equal(figuresOf(placeOrder(), mixed.nodes, 60).slow, "p99_us");
  });

  test("anywhere, nodes are told apart by their slowest runs, which is said", () => {
    const thin = thinned(() => 99);
    const slowest = slowestNode(thin, 60);

    assert.deepEqual([slowest?.node.label, slowest?.by], ["reserve", "max_us"]);
    assert.equal(figuresOf(placeOrder(), thin.nodes, 60).slow, "max_us");
  });

  test("nothing is drawn over time", () => {
    for (const [samples, hasP50, hasP99] of [
      [1, false, false],
      [99, true, false],
      [100, true, true],
    ] as const) {
      const series = new Series();
      series.follow("place-order");
      series.add({ ...metricsOf([], 1), circuits: [thinned(() => samples)] });
      const [point] = series.of("place-order/reserve");

      assert.deepEqual([point?.p50 !== undefined, point?.p99 !== undefined], [hasP50, hasP99]);
    }
  });
});

describe("the stream of live events", () => {
  const batch = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => {
      const event: Unnumbered = { kind: "event", run_id: "r", circuit: "c", node: "n", name: "e" };
      return { seq: from + n, at: 0, ...event } as never;
    });

  test("has the newest first, and marks what was lost where it was lost", () => {
    const first = takeBatch(emptyStream, batch(1, 2), 0, false);
    const second = takeBatch(first, batch(3, 1), 5, false);

    assert.deepEqual(
      second.rows.map(({ key }) => key),
      ["3", "lost 2 0", "2", "1"],
    );
    assert.deepEqual([second.seen, second.lost], [3, 5]);
  });

  test("does not move while it is read; what waits comes in when it is let in", () => {
    const first = takeBatch(emptyStream, batch(1, 2), 0, false);
    const held = takeBatch(first, batch(3, 2), 0, true);

    assert.equal(held.rows, first.rows);
    assert.equal(held.waiting.length, 2);
    assert.deepEqual(
      releaseAll(held).rows.map(({ key }) => key),
      ["4", "3", "2", "1"],
    );
    assert.deepEqual(
      takeBatch(held, batch(5, 1), 0, false).rows.map(({ key }) => key),
      ["5", "4", "3", "2", "1"],
    );
  });

  test("is bounded, and counts what had to make room", () => {
    let stream = emptyStream;
    for (let n = 0; n < 20; n += 1) stream = takeBatch(stream, batch(n * 500, 500), 0, n > 3);

    assert.deepEqual(
      [stream.rows.length, stream.waiting.length, stream.skipped, stream.seen],
      [2000, 2000, 6000, 10_000],
    );
    assert.equal(takeBatch(emptyStream, batch(0, 30_000), 0, false).rows.length, 2000);
  });
});

describe("the bar of a node", () => {
  const node = (facts: Partial<TraceNode>): TraceNode => ({
    ...{ node: "a/n", label: "n", kind: "Atom", depth: 0, entered_us: 100, duration_us: 1000, held_us: 0 },
    ...{ outcome: "next", target: null, retries: [], input: { kind: "off" }, output: { kind: "off" } },
    ...facts,
  });

  test("has a piece for each try and each wait", () => {
    const retries = [{ attempt: 1, at_us: 200, delay_ms: 0.3 }];

    assert.deepEqual(piecesOf(node({ held_us: 50, retries })), [
      { kind: "held", fromUs: 100, toUs: 150 },
      { kind: "failed", fromUs: 150, toUs: 200 },
      { kind: "wait", fromUs: 200, toUs: 500 },
      { kind: "work", fromUs: 500, toUs: 1100 },
    ]);
    assert.equal(piecesOf(node({ outcome: "fault" }))[0]?.kind, "failed");
  });

  test("has what its run waited for beside it, outside of its own time", () => {
    const waits: TraceNode["waits"] = [
      { reason: "checkpoint", from_us: 40, waited_us: 60 },
      { reason: "checkpoint", from_us: 1100, waited_us: 50 },
    ];

    assert.deepEqual(piecesOf(node({ waits })), [
      { kind: "checkpoint", fromUs: 40, toUs: 100 },
      { kind: "checkpoint", fromUs: 1100, toUs: 1150 },
      { kind: "work", fromUs: 100, toUs: 1100 },
    ]);
  });

  test("is whole and without gaps, whatever it is told", () => {
    const retry = fc.record({ attempt: fc.nat(9), at_us: fc.nat(3000), delay_ms: fc.nat(5) });
    fc.assert(
      fc.property(
        fc.nat(1000),
        fc.nat(2000),
        fc.nat(3000),
        fc.array(retry, { maxLength: 5 }),
        (from, long, held, retries) => {
          const pieces = piecesOf(node({ entered_us: from, duration_us: long, held_us: held, retries }));

          assert.equal(pieces[0]?.fromUs, from);
          assert.equal(pieces.at(-1)?.toUs, from + long);
          for (const [n, piece] of pieces.slice(1).entries()) assert.equal(piece.fromUs, pieces[n]?.toUs);
        },
      ),
    );
  });

  test("stands on an axis with a few round marks", () => {
    assert.deepEqual(ticksOf(1000), [0, 200, 400, 600, 800]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), (total) => {
        assert.ok(ticksOf(total).length <= 10);
      }),
    );
  });
});

describe("what is typed", () => {
  test("of a duration is read with its unit", () => {
    assert.deepEqual(["12 ms", "1.5s", "800us", "800", "", "a while"].map(microseconds), [
      12_000,
      1.5e6,
      800,
      800,
      undefined,
      undefined,
    ]);
  });

  test("of a duration is shown so that it is read as the same one, or not at all", () => {
    assert.deepEqual([0, 800, 1500, 12_000, 9e7].map(durationText), [
      "0 us",
      "800 us",
      "1500 us",
      "12 ms",
      "90 s",
    ]);
    assert.deepEqual([Number.NaN, -1, 1e-7, 1e27, Infinity].map(durationText), ["", "", "", "", ""]);
    const whole = fc.maxSafeNat();
    fc.assert(
      fc.property(
        fc.oneof(
          fc.double(),
          whole,
          whole.map((n) => n * 1e3),
          whole.map((n) => n * 1e6),
        ),
        (us) => {
          const text = durationText(us);
          if (text !== "") assert.equal(microseconds(text), us === 0 ? 0 : us);
          else assert.ok(!(Number.isSafeInteger(us) && us >= 0));
        },
      ),
    );
  });

  test("as filters of runs is what the API takes", () => {
    const place = placeOf(["runs"], {
      outcome: "error",
      http_status: "5xx",
      code: "STEP_PANIC",
      min_us: "5000",
      order: "slowest",
      circuit: "a",
      label: "order:1 2",
      mark: "x",
    });

    assert.deepEqual(queryOf(place), {
      circuit: "a",
      outcome: "error",
      http_status: "5xx",
      code: "STEP_PANIC",
      min_duration_us: 5000,
      order: "slowest",
      label: "order:1 2",
    });
    assert.deepEqual(
      queryOf(
        placeOf(["runs"], { outcome: "odd", http_status: "9xx", min_us: "-3", order: "odd", label: "7" }),
      ),
      {},
    );
  });

  test("as headers is one a line, and said to be none where it is none", () => {
    assert.deepEqual(headersOf("Accept: a/b\n\n x-y :  z: 1 "), {
      kind: "right",
      headers: { accept: "a/b", "x-y": "z: 1" },
    });
    assert.deepEqual(headersOf("a b: c"), { kind: "wrong", message: "Invalid header: a b: c" });
    const own = headersOf("__proto__: x");
    assert.deepEqual(own.kind === "right" && Object.entries(own.headers), [["__proto__", "x"]]);
  });

  test("as a body is sent as it is, as JSON where the route reads that", () => {
    const json = { headers: { "content-type": "application/json" } };

    assert.deepEqual(bodyWith('"tulip"', {}, JSON_TYPE), { ...json, body: '"tulip"' });
    assert.deepEqual(bodyWith('{ "a": ', {}, JSON_TYPE), { ...json, body: '{ "a": ' });
    assert.deepEqual(bodyWith('{ "a": 1 }', {}, null), { ...json, body: '{ "a": 1 }' });
    assert.deepEqual(bodyWith("a tulip", {}, null), { headers: {}, body: "a tulip" });
    const own = { "content-type": "text/csv" };
    assert.deepEqual(bodyWith("1", own, JSON_TYPE), { headers: own, body: "1" });
    assert.deepEqual(bodyWith(" ", { a: "b" }, JSON_TYPE), { headers: { a: "b" } });
  });

  test("of a route that reads a form is one, as the server reads it back", () => {
    const order = { user: { name: "Ada & Co" }, tags: ["new", "a b"], none: null, qty: 2, note: "1\n2" };
    const text = formText(order);

    assert.equal(
      text.split("\n").join("|"),
      "user[name]=Ada+%26+Co|&tags[]=new|&tags[]=a+b|&qty=2|&note=1%0A2",
    );
    const { headers, body = "" } = bodyWith(text, {}, FORM);
    assert.deepEqual(headers, { "content-type": FORM });
    const fields = parseForm(Buffer.from(body));
    assert.ok(!(fields instanceof Refusal));
    assert.deepEqual(JSON.parse(JSON.stringify(treeOf(fields))), {
      ...{ user: { name: "Ada & Co" }, tags: ["new", "a b"], qty: "2", note: "1\n2" },
    });
    assert.deepEqual(bodyWith("a\n&b", { "content-type": "text/csv" }, FORM).body, "a\n&b");
    const own = { "content-type": `${FORM};charset=utf-8` };
    assert.deepEqual(bodyWith("a=1\n&b=2", own, FORM), { headers: own, body: "a=1&b=2" });
    assert.deepEqual(bodyWith("--x", {}, "multipart/form-data"), { headers: {}, body: "--x" });
  });

  test("of a pattern is a path with its parameters in it and the others behind it", () => {
    assert.equal(pathFor("/orders/:id/lines/:n"), "/orders/1/lines/1");
    assert.equal(
      pathWith("/orders/:id", { id: "a/b", page: 2, tags: ["x", "y"] }),
      "/orders/a%2Fb?page=2&tags=x&tags=y",
    );
    assert.equal(pathWith("/orders/:id", null), "/orders/1");
  });

  test("in the search finds by beginnings, then by words, then by letters", () => {
    const target = (text: string): Target => ({ kind: "node", text, under: "", place: placeOf([]) });
    const all = ["unreserve", "place reserve", "reserve", "rate later on"].map(target);

    assert.deepEqual(
      findAll(all, "Reserve", 9).map(({ text }) => text),
      ["reserve", "place reserve", "unreserve"],
    );
    assert.deepEqual(
      findAll(all, "rlt", 9).map(({ text }) => text),
      ["rate later on"],
    );
    assert.deepEqual([findAll(all, " ", 9), findAll(all, "e", 2).length], [[], 2]);
  });

  test("as open subgraphs closes what is inside with what closes", () => {
    const open = new Set(["a/pay", "a/pay/card", "a/ship,it"]);

    assert.deepEqual(openIn(printOpen(open, "a/pay") ?? ""), new Set(["a/ship,it"]));
    assert.deepEqual(openIn(printOpen(new Set(), "a/x") ?? ""), new Set(["a/x"]));
    assert.equal(printOpen(new Set(["a"]), "a"), undefined);
  });
});

describe("JSON for people", () => {
  test("reads back to what it was, and its tokens are all of it", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = prettyJson(value);

        assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
        assert.equal(
          jsonTokens(text)
            .map((token) => token.text)
            .join(""),
          text,
        );
      }),
    );
  });

  test("names keys, texts, numbers and words", () => {
    const kinds = jsonTokens('{ "a": "b: 1", "c": [-1.5, true] }').filter(({ kind }) => kind !== "plain");

    assert.deepEqual(
      kinds.map(({ kind }) => kind),
      ["key", "text", "key", "number", "word"],
    );
  });
});

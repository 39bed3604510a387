// One search over what an Inspector has: by ids, names and labels, and by the texts of runs.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, fault, isFault, json, ProblemDetail, Sensitive, Type } from "framework";
import { Turns } from "#core/loop-turns.js";
import type { DeadLetterRow } from "#inspector/api/dead-letters.js";
import { inspectorFault } from "#inspector/api/fault.js";
import { Found, type SearchQuery } from "#inspector/api/search.js";
import type { Trace } from "#inspector/api/traces.js";
import { Peers } from "#inspector/peers/peers.js";
import { type Answer, MAX_BYTES, Search, type Searched } from "#inspector/search/search.js";
import { DrawnNodes } from "#inspector/traces/drawn-nodes.js";
import type { CaptureMode } from "#inspector/traces/payload-capture.js";
import { TraceStore } from "#inspector/traces/trace-store.js";
import { Unmatched } from "#inspector/unmatched/unmatched.js";
import { MemoryRooms } from "#std/memory/memory-rooms.js";
import { answerRecord } from "../../support/answer-record.js";
import { asViewer, inspected } from "../../support/inspected.js";
import { denied, keptTrace } from "../../support/kept-traces.js";
import { requireShape, tracedApp } from "../../support/traced-app.js";

const Order = Type.Object({
  sku: Type.String(),
  note: Type.String(),
  card: Sensitive(Type.String()),
});

const orders = Axon.start<{ sku: string; note: string; card: string }>("orders")
  .withLabels({ order: Type.String({ maxLength: 100 }) })
  .thenFn(
    "keep",
    (order, bus) => {
      bus.label("order", "4711");
      return order;
    },
    { labels: ["order"] },
  )
  .thenFn("charge", (order) => {
    if (order.sku === "broken") throw new Error("the vault of onyx is shut");
    return order.sku === "denied"
      ? fault(new ProblemDetail({ status: 409, code: "ORDER_DENIED", title: "Denied" }))
      : order.sku;
  });

const ORDER = { sku: "A-17", note: 'a "blue" <b>kettle</b>\u202e', card: "4929-secret" };

/** However slow the machine is: a search ends after half a second. */
const timeless = (of: Searched): Searched => ({ ...of, turns: new Turns(() => 0) });

async function answer(
  of: Searched,
  query: string | SearchQuery,
  role: "operator" | "viewer" = "viewer",
): Promise<Answer> {
  const found = await new Search(timeless(of)).find(typeof query === "string" ? { q: query } : query, {
    role,
  });
  assert.ok(!isFault(found));
  requireShape(Found.properties.data, found);
  return found;
}

const byIn = (hits: Answer["facts"]) => hits.map(({ by, is_whole }) => (is_whole ? `${by}!` : by));

async function shop(capture: CaptureMode = "full", ...sent: readonly object[]) {
  const { app, store, newest } = tracedApp(
    (it) => it.post("/orders", orders, { input: json(Order) }),
    capture,
  );
  for (const order of [ORDER, ...sent]) await app.post("/orders", { json: order });
  const searched: Searched = { traces: store, capture };
  return {
    searched,
    newest,
    facts: async (q: string) => byIn((await answer(searched, q)).facts),
    texts: async (q: string, role?: "operator" | "viewer") => (await answer(searched, q, role)).texts,
  };
}

describe("a search", () => {
  test("finds a run by its ids, label, code, status, route, path, circuit and node", async () => {
    const { facts, newest } = await shop("off", { ...ORDER, sku: "denied" });
    const { run } = newest() as Trace;

    assert.deepEqual(await facts(run.run_id), ["run id!"]);
    assert.deepEqual(await facts(run.request?.request_id.toUpperCase() ?? ""), ["request id!"]);
    assert.deepEqual(await facts(run.request?.request_id.slice(0, -4) ?? ""), ["request id"]);
    assert.deepEqual(await facts("order:4711"), ["label order!", "label order!"]);
    assert.deepEqual(await facts("471"), ["label order", "label order"]);
    assert.deepEqual(await facts("order_denied"), ["code!"]);
    assert.deepEqual(await facts("409"), ["status!"]);
    assert.deepEqual(await facts("POST /ORD"), ["route", "route"]);
    assert.deepEqual(await facts("orders/charge"), ["node!"]);
    assert.deepEqual(await facts("nothing of this"), []);
  });

  test("puts whole ids and names before parts of newer ones", async () => {
    const store = new TraceStore({ nodes: new DrawnNodes(() => []) });
    store.add(keptTrace({ number: 1, circuit: "pay" }));
    store.add(keptTrace({ number: 2, circuit: "payments" }));

    const { facts } = await answer({ traces: store, capture: "off" }, "pay");
    assert.deepEqual(
      facts.map(({ title }) => title),
      ["pay", "payments"],
    );
  });

  test("finds captured values and names of nodes, and says where", async () => {
    const { texts } = await shop();

    const [kettle] = await texts('A "BLUE" <b>');
    assert.deepEqual(
      [kettle?.by, kettle?.text],
      ["input of orders/keep, /note", 'a "blue" <b>kettle</b>\\u202e'],
    );
    assert.equal((await texts("orders/kee"))[0]?.by, "node");
    assert.deepEqual(await texts("sku"), [], "names of members are no texts");
    assert.deepEqual(await texts("__proto__"), []);
  });

  test("finds nothing that its caller is not shown", async () => {
    const { texts, newest } = await shop("full", { ...ORDER, sku: "broken" });

    assert.deepEqual(await texts("4929-secret", "operator"), []);
    assert.equal((await texts("vault of onyx", "operator")).length, 1);
    assert.deepEqual(await texts("vault of onyx", "viewer"), []);
    const { address } = newest().exchange?.client ?? assert.fail();
    assert.ok(address.kind === "read");
    assert.equal((await texts(address.text, "operator"))[0]?.by, "client address");
    assert.deepEqual(await texts(address.text, "viewer"), []);
    assert.deepEqual(await texts("unread"), [], "states are no texts");
  });

  test("searches no texts where values are hashes, and none where only facts are wanted", async () => {
    const { texts } = await shop("hash");
    const { searched } = await shop();

    assert.deepEqual(await texts("orders/kee"), []);
    assert.deepEqual((await answer(searched, { q: "A-17", in: "facts" })).texts, []);
  });

  test("finds unmatched requests, letters and durable runs, ended ones by their whole id", async () => {
    const unmatched = new Unmatched();
    unmatched.answered(
      answerRecord({
        path: "/zebra",
        route: undefined,
        status: 404,
        code: "ROUTE_UNKNOWN",
        requestId: "r-1",
      }),
    );
    const letter: DeadLetterRow = {
      ...{ id: "letter-1", kind: "step", circuit: "zebra", version: "1", node: "zebra/pay", label: "pay" },
      ...{ failed_at: 1, attempts: 3, trace_id: null, run_id: null, labels: { order: "zebra-7" } },
      ...{ error: { code: "BANK_DOWN", title: "Down" }, input: { kind: "off" }, undone: [], events: [] },
    };
    const run = {
      ...{ circuit: "mail", state: "running" as const, node: null, began_at: 1, last_at: 2, trace_id: null },
      ...{ owner: null, cancel: null, unfit: null, wait: null },
    };
    const runs = {
      unfinished: async () => [{ ...run, run_id: "zebra-run" }],
      show: async (id: string) =>
        id === "ended-run" ? { ...run, run_id: id } : inspectorFault("KEPT_RUN_UNKNOWN"),
    };
    const traces = new TraceStore({ nodes: new DrawnNodes(() => []) });
    const all: Searched = {
      ...{ traces, unmatched, runs, capture: "off" },
      deadLetters: { list: async () => [letter], find: async () => undefined },
    };
    const kinds = async (q: string) =>
      (await answer(all, q)).facts.map(({ kind, by }) => `${kind}: ${by}`).sort();

    assert.deepEqual(await kinds("zebra"), ["durable_run: run id", "letter: circuit", "unmatched: path"]);
    assert.deepEqual(await kinds("ended-run"), ["durable_run: run id"]);
    assert.deepEqual(await kinds("bank_down"), ["letter: code"]);

    const long: Searched = {
      ...all,
      runs: {
        ...runs,
        unfinished: async ({ label }) =>
          label === "order:x" ? [{ ...run, run_id: "late-run", labels: { order: "x" } }] : [],
      },
      deadLetters: {
        list: async () => Array.from({ length: 200 }, () => letter),
        find: async (id) => (id === "Letter-201" ? { ...letter, id } : undefined),
      },
    };
    const byLabel = await answer(long, "order:x");
    assert.deepEqual(
      byLabel.facts.map(({ id }) => id),
      ["late-run"],
    );
    assert.deepEqual(
      (await answer(long, "Letter-201")).facts.map(({ id }) => id),
      ["Letter-201"],
    );

    const failing: Searched = {
      ...all,
      runs: { ...runs, unfinished: () => Promise.reject(new Error("down")) },
      deadLetters: {
        list: async () => inspectorFault("DEAD_LETTERS_UNAVAILABLE"),
        find: async () => undefined,
      },
    };
    const found = await answer(failing, "zebra");
    assert.deepEqual(
      [found.failed, found.facts.map(({ kind }) => kind)],
      [["letter", "durable_run"], ["unmatched"]],
    );
  });

  test("refuses a text of fewer than two characters, and a cursor of another list", async () => {
    const { searched } = await shop();
    const { app } = inspected({ search: new Search(timeless(searched)) });
    const codeOf = async (query: string) => (await app.get(`/api/v1/search?${query}`, asViewer)).problem.code;

    assert.equal(await codeOf("q=+a+"), "INPUT_INVALID");
    assert.equal(await codeOf("q=ab&cursor=slowest.1.1.a-b"), "CURSOR_INVALID");
  });
});

/** Runs whose log has a text, each as large as a quarter of what is searched at once. */
function largeRuns(from: number, count: number) {
  const store = new TraceStore({ nodes: new DrawnNodes(() => []), maxBytes: 64 * MAX_BYTES });
  for (let number = from; number < from + count; number += 1)
    store.add(
      keptTrace({
        ...{ number, runId: `0123456789-${number}`, startedAt: 1_700_000_000_000 + number * 1000 },
        ...{ bytes: MAX_BYTES / 4, fault: denied("a") },
        lines: [{ at: 0, level: "info", module: null, message: `quartz ${number}`, fields: {} }],
      }),
    );
  return store;
}

const TEXTS = { q: "quartz" };
const numbersIn = ({ texts }: Answer) => texts.map(({ text }) => Number(text.split(" ")[1]));

describe("a search in texts", () => {
  test("takes so many bytes of the newest runs, and goes on from there with its cursor", async () => {
    const searched: Searched = { traces: largeRuns(0, 10), capture: "full" };
    const first = await answer(searched, TEXTS);
    const second = await answer(searched, { ...TEXTS, cursor: first.cursor ?? "" });
    const third = await answer(searched, { ...TEXTS, cursor: second.cursor ?? "" });

    assert.deepEqual([first, second, third].map(numbersIn), [
      [9, 8, 7, 6],
      [5, 4, 3, 2],
      [1, 0],
    ]);
    assert.equal(first.searched_until, 1_700_000_006_000 + 0.1);
    assert.deepEqual([third.searched_until, third.cursor], [null, null]);
  });

  test("stops at its limit, and goes on from there", async () => {
    const searched: Searched = { traces: largeRuns(0, 4), capture: "full" };
    const first = await answer(searched, { ...TEXTS, limit: 3 });

    assert.deepEqual(numbersIn(first), [3, 2, 1]);
    assert.deepEqual(numbersIn(await answer(searched, { ...TEXTS, cursor: first.cursor ?? "" })), [0]);
  });

  test("leaves out a run that was evicted while it waited for its turn", async () => {
    const store = largeRuns(0, 2);
    const searched = answer({ traces: store, capture: "full" }, TEXTS);
    store.clear();

    assert.deepEqual((await searched).texts, []);
  });

  test("of several processes goes back as far as the one that is behind, and misses none", async () => {
    const rooms = new MemoryRooms();
    const inspectorOf = (traces: TraceStore, pid: number) =>
      inspected({
        peers: new Peers({ bus: rooms.join(), expected: 1, pid }),
        search: new Search(timeless({ traces, capture: "full" })),
      });
    const first = inspectorOf(largeRuns(0, 10), 0);
    inspectorOf(largeRuns(100, 2), 1);
    const seen: number[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const more = cursor === "" ? "" : `&cursor=${cursor}`;
      const asked = await first.app.get(`/api/v1/search?q=quartz&limit=5${more}`, asViewer);
      const { data } = asked.json as { readonly data: Answer };
      seen.push(...numbersIn(data));
      cursor = data.cursor;
    }

    assert.deepEqual(seen, [101, 100, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  });
});

// What a feed sends to whom, and when, on a clock that the test moves.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import type { TraceRow } from "#inspector/api/traces.js";
import { BATCH_MS, Feed, type NewFeedEvent, RESUME_MS } from "#inspector/feed/feed.js";

/** A clock that the test moves. */
function manual() {
  const clock = { ms: 0, timers: [] as { at: number; then: () => void }[] };
  return {
    now: () => clock.ms,
    after(ms: number, then: () => void) {
      const timer = { at: clock.ms + ms, then };
      clock.timers.push(timer);
      return () => {
        clock.timers = clock.timers.filter((each) => each !== timer);
      };
    },
    pass(ms: number) {
      const until = clock.ms + ms;
      for (;;) {
        const [next] = clock.timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        clock.timers = clock.timers.filter((each) => each !== next);
        clock.ms = next.at;
        next.then();
      }
      clock.ms = until;
    },
    get timers() {
      return clock.timers.length;
    },
  };
}

/** A client's end of a connection. */
function wire() {
  const messages: any[] = [];
  return {
    messages,
    bufferedAmount: 0,
    isOpen: true,
    closed: 0,
    send(message: unknown) {
      messages.push(JSON.parse(message as string));
      return "sent" as const;
    },
    close(code = 1000) {
      this.closed = code;
      this.isOpen = false;
    },
    get seqs(): readonly number[] {
      return messages.flatMap(({ events = [] }) => events.map(({ seq }: { seq: number }) => seq));
    },
    get lost(): number {
      return messages.reduce((sum, { lost = 0 }) => sum + lost, 0);
    },
  };
}

const node = (circuit = "orders", duration_us = 1): NewFeedEvent => ({
  kind: "node_exit",
  run_id: "r",
  circuit,
  node: `${circuit}/a`,
  label: "a",
  outcome: "next",
  duration_us,
  fault: null,
});
const emitted = (circuit = "orders"): NewFeedEvent => ({
  kind: "event",
  run_id: "r",
  circuit,
  node: `${circuit}/a`,
  name: "order.accepted",
});
const stallEnded: NewFeedEvent = { kind: "stall_ended", run_id: "r", node: "orders/a", stalled_ms: 1 };

const figures = { kind: "metrics", metrics: {} } as unknown as NewFeedEvent;

describe("the feed", () => {
  test("sends what happened in batches, in order, and nothing between", () => {
    const clock = manual();
    const feed = new Feed({ clock });
    const client = wire();
    feed.request(feed.join(client, "viewer"), { type: "subscribe" });
    feed.tell(emitted());
    feed.tell(stallEnded);
    feed.tell(emitted());

    assert.deepEqual(client.seqs, []);
    clock.pass(BATCH_MS);
    assert.deepEqual(client.seqs, [1, 2, 3]);
    clock.pass(10 * BATCH_MS);
    assert.equal(client.messages.length, 2, "a hello and one batch: nobody is sent empty ones");
  });

  test("sends each client what it asked for, and no nodes to who did not", () => {
    const clock = manual();
    const feed = new Feed({ clock });
    const [all, slow, none] = [wire(), wire(), wire()];
    feed.request(feed.join(all, "viewer"), { type: "subscribe" });
    feed.request(feed.join(none, "viewer"), { type: "unsubscribe" });
    assert.equal(feed.hearsNodes, false);
    const wants = {
      type: "subscribe",
      kinds: ["node_exit"],
      circuits: ["orders"],
      min_duration_us: 50,
    } as const;
    feed.request(feed.join(slow, "viewer"), {
      ...wants,
      kinds: [...wants.kinds],
      circuits: [...wants.circuits],
    });
    assert.equal(feed.hearsNodes, true);
    for (const event of [node("orders", 49), node("orders", 50), node("users", 99), emitted()])
      feed.tell(event);
    clock.pass(BATCH_MS);

    assert.deepEqual([all.seqs, slow.seqs, none.seqs], [[4], [2], []]);
  });

  test("goes on after a number, as far as it is kept", () => {
    const clock = manual();
    const feed = new Feed({ clock, quickEvents: 4 });
    const first = wire();
    const gone = feed.join(first, "viewer");
    for (let i = 0; i < 3; i += 1) feed.tell(emitted());
    feed.leave(gone);
    const again = wire();
    feed.request(feed.join(again, "viewer"), { type: "subscribe", after: 1 });
    clock.pass(BATCH_MS);
    assert.deepEqual([again.seqs, again.lost], [[2, 3], 0]);

    for (let i = 0; i < 5; i += 1) feed.tell(emitted());
    const late = wire();
    feed.request(feed.join(late, "viewer"), { type: "subscribe", after: 1 });
    clock.pass(BATCH_MS);
    assert.deepEqual(late.seqs, [5, 6, 7, 8]);
    assert.equal(late.lost, 3);
  });

  test("counts what is gone of each kind, what is rare and older than that included", () => {
    const clock = manual();
    const feed = new Feed({ clock, quickEvents: 10 });
    const client = wire();
    feed.request(feed.join(client, "viewer"), { type: "subscribe" });
    feed.tell(stallEnded);
    for (let i = 0; i < 1000; i += 1) feed.tell(i % 100 === 50 ? figures : emitted());
    clock.pass(BATCH_MS);

    assert.deepEqual([client.seqs.length, client.seqs[0]], [12, 1]);
    assert.equal(client.lost, 1001 - 12 - 9, "of figures the newest alone counts");
    assert.equal(feed.stats.lost, client.lost);
    clock.pass(BATCH_MS);
    assert.equal(client.lost, 980, "and once");
  });

  test("sends large rare events in messages of a bounded length, all of them and in order", () => {
    const clock = manual();
    const feed = new Feed({ clock, quickEvents: 32 });
    const client = wire();
    feed.request(feed.join(client, "viewer"), { type: "subscribe" });
    for (let i = 0; i < 100; i += 1) {
      feed.tell({ ...stallEnded, run_id: "r".repeat(16_384) });
      feed.tell(emitted());
    }
    clock.pass(40 * BATCH_MS);

    const largest = Math.max(...client.messages.map((message) => JSON.stringify(message).length));
    assert.ok(largest < 140_000, `${largest} characters`);
    assert.deepEqual([client.seqs.length + client.lost, client.lost], [200, 68]);
    assert.deepEqual(
      client.seqs,
      [...new Set(client.seqs)].sort((a, b) => a - b),
    );
  });

  test("looks a run up once in a flush until it is answered, and not again when it is gone", () => {
    const feed = new Feed({ clock: manual(), quickEvents: 32 });
    const clients = [wire(), wire(), wire()].map((each) => feed.join(each, "viewer"));
    const asked = { answered: 0, open: 0, gone: 0 };
    const row = (http_status: number | null): TraceRow =>
      ({ circuit: "orders", duration_us: 1, status: "completed", request: { http_status } }) as TraceRow;
    const told = (name: keyof typeof asked, given: TraceRow | undefined) =>
      feed.tellRun(() => {
        asked[name] += 1;
        return given;
      });
    told("answered", row(200));
    told("open", row(null));
    told("gone", undefined);
    for (let flush = 0; flush < 3; flush += 1) {
      for (const client of clients)
        feed.request(client, { type: "subscribe", after: 0, circuits: ["orders"], min_duration_us: 1 });
      feed.flush();
    }

    assert.deepEqual(asked, { answered: 1, open: 3, gone: 1 });
  });

  test("sends nothing to who does not read, and ends who never does", () => {
    const clock = manual();
    const feed = new Feed({ clock, quickEvents: 16 });
    const [dead, alive] = [wire(), wire()];
    for (const each of [dead, alive]) feed.request(feed.join(each, "viewer"), { type: "subscribe" });
    dead.bufferedAmount = 1_000_000;
    for (let i = 0; i < 200; i += 1) {
      feed.tell(emitted());
      clock.pass(BATCH_MS);
    }

    assert.equal(dead.closed, 1008);
    assert.deepEqual(dead.seqs, []);
    assert.equal(alive.seqs.length, 200);
    assert.equal(feed.stats.clients, 1);
  });

  test("keeps room for what is rare among thousands of runs, and counts what is left out", () => {
    const clock = manual();
    const feed = new Feed({ clock });
    const client = wire();
    const kinds = ["node_exit", "stall_ended"] as ("node_exit" | "stall_ended")[];
    feed.request(feed.join(client, "viewer"), { type: "subscribe", kinds });
    for (let i = 0; i < 5000; i += 1) feed.tell(i === 10 ? stallEnded : node());
    clock.pass(BATCH_MS);

    const [, batch] = client.messages;
    assert.equal(batch.events.length, 500);
    assert.equal(batch.lost, 4500);
    assert.equal(batch.events.filter(({ kind }: any) => kind === "stall_ended").length, 1);
    assert.ok(batch.events.at(-1).seq > 4900, "spread over all of them");
  });

  test("is heard by nobody once the last client has been gone for a while, and runs no timer", () => {
    const clock = manual();
    const feed = new Feed({ clock });
    assert.equal(feed.isHeard, false);
    const client = feed.join(wire(), "viewer");
    assert.equal(feed.isHeard, true);
    feed.leave(client);
    clock.pass(RESUME_MS - 1);
    assert.equal(feed.isHeard, true);
    clock.pass(1);
    assert.deepEqual([feed.isHeard, clock.timers], [false, 0]);
  });

  test("sends or counts every event that is wanted, once and in order, however slowly it is read", () => {
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ do: fc.constant("tell" as const), many: fc.integer({ min: 1, max: 40 }) }),
      },
      { weight: 3, arbitrary: fc.constant({ do: "pass" as const }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("block" as const), is: fc.boolean() }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const clock = manual();
        const feed = new Feed({ clock, quickEvents: 32 });
        const client = wire();
        feed.request(feed.join(client, "viewer"), { type: "subscribe" });
        let told = 0;
        for (const each of steps) {
          if (each.do === "block") client.bufferedAmount = each.is ? 1_000_000 : 0;
          else if (each.do === "pass") clock.pass(BATCH_MS);
          else
            for (let i = 0; i < each.many; i += 1) {
              feed.tell(emitted());
              told += 1;
            }
        }
        client.bufferedAmount = 0;
        if (client.isOpen) clock.pass(2 * BATCH_MS);
        const { seqs } = client;

        assert.deepEqual(
          seqs,
          [...new Set(seqs)].sort((a, b) => a - b),
        );
        if (client.isOpen) assert.equal(seqs.length + client.lost, told);
      }),
    );
  });
});

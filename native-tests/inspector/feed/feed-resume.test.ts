// Clients of the feed that come again, many at once.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Feed } from "#inspector/feed/feed.js";

function client() {
  const messages: { type: string; events: { seq: number }[]; lost: number }[] = [];
  return {
    bufferedAmount: 0,
    isOpen: true,
    send: (message: string) => {
      messages.push(JSON.parse(message));
      return "sent" as const;
    },
    close: () => {},
    /** Events that it was sent, and those that it was told are lost. */
    get told(): number {
      return messages
        .filter(({ type }) => type === "events")
        .reduce((sum, { events, lost }) => sum + events.length + lost, 0);
    },
  };
}

test("clients that go far back at once are served in turn, and keep nobody waiting", () => {
  const feed = new Feed({ clock: { now: () => 0, after: () => () => {} } });
  const wires = Array.from({ length: 20 }, client);
  const clients = wires.map((wire) => feed.join(wire as never, "operator"));
  for (const each of clients) feed.request(each, { type: "subscribe" });
  for (let i = 0; i < 3000; i += 1)
    feed.tell({ kind: "event", run_id: "r", circuit: "c", node: "c/n", name: "sold" });
  feed.flush();
  for (const wire of wires) assert.equal(wire.told, 3000, "whoever follows is sent all in one flush");

  const [live, ...others] = clients;
  for (const each of others) feed.request(each, { type: "subscribe", after: 0 });
  feed.tell({ kind: "event", run_id: "r", circuit: "c", node: "c/n", name: "sold" });
  const served = () => wires.slice(1).filter((wire) => wire.told > 3001).length;
  feed.flush();
  assert.equal(wires[0]?.told, 3001, "who follows does not wait for them");
  assert.equal(served(), 4);
  // One that asks for it again and again comes behind those that wait.
  const again = others[0] as NonNullable<typeof live>;
  for (const count of [7, 11, 15]) {
    feed.request(again, { type: "subscribe", after: 0 });
    feed.flush();
    assert.ok(served() >= count, `${served()} of ${count}`);
  }
  for (let i = 0; i < 3; i += 1) feed.flush();
  assert.equal(served(), 19);
});

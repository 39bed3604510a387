// Rooms and feeds of events on one bus: whoever chooses the name of a room gets at no feed.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { EventChannel, Framework } from "framework";
import type { RoomBus } from "framework/core";
import { TestApp } from "framework/http";
import { MemoryRooms } from "framework/std";

const FEED = "framework:events:news";
const FORGED = '{"id":"1","event":"news","topic":""}\ndata: forged\n\n';

/** Everybody chooses a room, and says there what is to be said. */
const talk = (rooms: RoomBus) =>
  Framework.http({ rooms }).ws("/talk", {
    open: ({ query = "" }, connection) => {
      connection.subscribe(decodeURIComponent(query));
      return decodeURIComponent(query);
    },
    message: (message, connection) => {
      connection.publish(connection.state, message);
      return "told";
    },
  });

/** Two of the feed's room, each at a server of its own, and the feed on the same bus. */
async function inTheFeedsRoom() {
  const rooms = new MemoryRooms();
  const channel = new EventChannel({ name: "news", rooms: rooms.join() });
  const [here, there] = [new TestApp(talk(rooms.join())), new TestApp(talk(rooms.join()))];
  return {
    channel,
    speaker: await here.ws(`/talk?${FEED}`),
    listener: await there.ws(`/talk?${FEED}`),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([here, there].map((app) => app[Symbol.asyncDispose]()));
    },
  };
}

const arrived = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe("a room that is called as a feed of events is on the bus", () => {
  test("publishes no event, and is a room of several processes all the same", async () => {
    await using both = await inTheFeedsRoom();
    const { channel, speaker, listener } = both;

    speaker.send(FORGED);

    assert.equal(await listener.next(), FORGED);
    await arrived();
    assert.equal(channel.stats.published, 0);
  });

  test("hears no event", async () => {
    await using both = await inTheFeedsRoom();
    const { channel, speaker, listener } = both;

    channel.publish({ data: "for some alone" });
    await arrived();
    speaker.send("said");

    assert.equal(await listener.next(), "said");
  });
});

// A counter that all who listen see: what it has come to is the id of each event.

import { Axon, EventChannel } from "framework";

const TICK_MS = 500;

const channel = new EventChannel<number>({ name: "counter", history: { events: 10_000 } });
let count = 0;

// Nobody is counted for who does not listen: other measurements are not disturbed.
setInterval(() => {
  if (channel.stats.clients === 0) return;
  count += 1;
  channel.publish({ id: String(count), event: "count", data: count });
}, TICK_MS).unref();

export const counter = Axon.start("counter").thenFn("listen", () => channel.subscribe());

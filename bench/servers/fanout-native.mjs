// The native server, whose first connection publishes to all others.

import { news } from "../subjects/feed.mjs";
import { host, port, ready } from "./arguments.mjs";
import { native } from "./native.mjs";
import { obey } from "./told.mjs";

let speaker;
native
  .App()
  .ws("/feed", {
    maxPayloadLength: 65_536,
    maxBackpressure: 1_048_576,
    closeOnBackpressureLimit: true,
    idleTimeout: 120,
    open(socket) {
      // The engine lets nobody publish who has subscribed to nothing.
      socket.subscribe(speaker === undefined ? "nothing" : "news");
      speaker ??= socket;
    },
  })
  .listen(host, port, ready);
await obey(() => speaker.publish("news", news, false));

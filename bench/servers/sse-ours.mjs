// This framework with a channel of events.

import { Axon, EventChannel, Framework } from "../../dist/index.js";
import { news } from "../subjects/feed.mjs";
import { host, port, ready } from "./arguments.mjs";
import { obey } from "./told.mjs";

const feed = new EventChannel({ name: "feed", maxClients: 20_000 });
await Framework.http({ maxConnections: 30_000, maxInFlight: 30_000, maxEventStreams: 30_000 })
  .sse(
    "/feed",
    Axon.start("feed").thenFn("listen", () => feed.subscribe()),
  )
  .bind(`${host}:${port}`)
  .run();
ready();
await obey(() => feed.publish({ data: news }));

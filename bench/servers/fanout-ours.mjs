// This framework, whose first connection publishes to all others.

import { Framework } from "../../dist/index.js";
import { news } from "../subjects/feed.mjs";
import { host, port, ready } from "./arguments.mjs";
import { obey } from "./told.mjs";

let speaker;
await Framework.http({ maxConnections: 30_000 })
  .ws("/feed", {
    open(_, connection) {
      if (speaker !== undefined) connection.subscribe("news");
      speaker ??= connection;
    },
    message: () => undefined,
  })
  .bind(`${host}:${port}`)
  .run();
ready();
await obey(() => speaker.publish("news", news));

// What the wire tests of events talk to.

import {
  Axon,
  EventChannel,
  Framework,
  fault,
  html,
  ProblemDetail,
  param,
  type ServerEvent,
  Type,
} from "framework";
import type { Options } from "./served.js";

const channel = new EventChannel<unknown>({ name: "news", history: { events: 100 }, maxClients: 10_000 });
const sources = { open: 0, closed: 0, made: 0 };

const listen = Axon.start("listen").thenFn("listen", () => channel.subscribe());
const room = Axon.start("room").thenFn(
  "listen",
  (_, bus) => {
    const wanted = bus.get(param("room"));
    return channel.subscribe(({ topic }) => topic === wanted);
  },
  { reads: [param("room")] },
);
const endless = Axon.start("endless").thenFn("make", async function* (): AsyncGenerator<ServerEvent> {
  sources.open += 1;
  try {
    for (;;) {
      sources.made += 1;
      yield { data: "x".repeat(10_000) };
    }
  } finally {
    sources.closed += 1;
  }
});
const broken = Axon.start("broken").thenFn("make", async function* (): AsyncGenerator<ServerEvent> {
  yield { id: "1", data: "first" };
  throw new Error("halfway");
});
const over = Axon.start("over").thenFn("nothing", () => undefined);
const closed = Axon.start("closed").thenFn("refuse", () =>
  fault(new ProblemDetail({ status: 403, code: "CLOSED", title: "Not today" })),
);

const publish = Axon.start(
  "publish",
  Type.Object({
    data: Type.String(),
    topic: Type.Optional(Type.String()),
    times: Type.Optional(Type.Integer()),
  }),
).thenFn("publish", ({ times = 1, ...event }) => {
  for (let i = 0; i < times; i += 1) channel.publish(event);
  return channel.stats;
});
const facts = Axon.start("facts").thenFn("facts", () => {
  globalThis.gc?.();
  const { heapUsed, rss, external } = process.memoryUsage();
  return { ...channel.stats, sources, heap: heapUsed, rss, external };
});
const page = Axon.start("page").thenFn("show", () => html("<!doctype html><title>Events</title>"));
const leave = Axon.start("leave").thenFn("disconnect", () => channel.disconnect());

export const ingress = ({ heartbeatMs = 15_000, ...options }: Options & { readonly heartbeatMs?: number }) =>
  Framework.http(options)
    .bind("127.0.0.1:0")
    .sse("/events", listen, { heartbeatMs, retryMs: 100, random: () => 0 })
    .sse("/rooms/:room", room)
    .sse("/endless", endless)
    .sse("/broken", broken)
    .sse("/over", over)
    .sse("/closed", closed)
    .post("/publish", publish)
    .post("/disconnect", leave)
    .get("/facts", facts)
    .get("/", page);

// Compiled, never run: an unused @ts-expect-error fails the build. Each says what
// must not compile.

import { Readable } from "node:stream";

import {
  Axon,
  EventChannel,
  Framework,
  fault,
  ProblemDetail,
  param,
  respond,
  type ServerEvent,
  Type,
} from "framework";
import type { ServerEventsContext } from "framework/http";

const start = Axon.start("a");
const ingress = Framework.http();
const problem = new ProblemDetail({ status: 404, code: "NONE", title: "None" });
const Price = Type.Object({ cents: Type.Integer() });
const channel = new EventChannel<{ cents: number }>({ name: "prices", epoch: "e" });
declare const chance: boolean;

async function* pieces() {
  yield "text";
  yield new Uint8Array(1);
}
async function* events(): AsyncGenerator<ServerEvent<{ cents: number }>> {
  yield { data: { cents: 1 } };
  yield { event: "price", data: { cents: 2 }, id: "2", retryMs: 1000 };
}
async function* numbers() {
  yield 1;
}

// What must compile: streams
ingress
  .get(
    "/iterable",
    start.thenFn("s", () => pieces()),
  )
  .get(
    "/later",
    start.thenFn("s", async () => pieces()),
  )
  .get(
    "/readable",
    start.thenFn("s", () => Readable.from(["a"])),
  )
  .get(
    "/web",
    start.thenFn("s", () => new ReadableStream<Uint8Array>()),
  )
  .get(
    "/blob",
    start.thenFn("s", () => new Blob(["a"])),
  )
  .get(
    "/reply",
    start.thenFn("s", { responses: [{ status: 206 }] }, () =>
      respond({ status: 206, body: pieces(), length: 5 }),
    ),
  )
  .get(
    "/or",
    start.thenFn("s", () => (chance ? pieces() : fault(problem))),
  );

// What must compile: events
ingress
  .sse(
    "/subscribed",
    start.thenFn("s", () => channel.subscribe()),
  )
  .sse(
    "/made",
    start.thenFn("s", () => events()),
  )
  .sse(
    "/later",
    start.thenFn("s", async () => events()),
  )
  .sse(
    "/function",
    start.thenFn(
      "s",
      () =>
        async function* ({ signal, lastEventId }: ServerEventsContext) {
          if (!signal.aborted) yield { data: lastEventId.length };
        },
    ),
  )
  .sse(
    "/nothing",
    start.thenFn("s", () => {}),
  )
  .sse(
    "/refused",
    start.thenFn("s", () => (chance ? events() : fault(problem))),
  )
  .sse(
    "/problem",
    start.thenFn("s", () => (chance ? channel.subscribe() : problem)),
  )
  .sse(
    "/redirect",
    start.thenFn("s", { responses: [{ status: 303 }] }, () =>
      chance ? undefined : respond({ status: 303 }),
    ),
  )
  .sse(
    "/of/:room",
    start.thenFn("s", (_, bus) => (bus.get(param("room")) === "" ? undefined : events()), {
      reads: [param("room")],
    }),
    { heartbeatMs: 1000, retryMs: 500, schema: Price, timeoutMs: 1000, onFault: () => undefined },
  );
channel.publish({ data: { cents: 1 } });

const data = start.thenFn("s", () => ({ cents: 1 }));
const text = start.thenFn("s", () => "data: 1");
const counted = start.thenFn("s", () => numbers());
const streamed = start.thenFn("s", () => pieces());
const web = start.thenFn("s", () => new ReadableStream<Uint8Array>());
const list = start.thenFn("s", () => [{ data: 1 }]);
const made = start.thenFn("s", () => events());

// What must not
// @ts-expect-error a number of bytes is a number
respond({ body: pieces(), length: "5" });
// @ts-expect-error streams alone have no schema
streamed.withOutputSchema(Type.Unknown());
// @ts-expect-error data is no event stream
ingress.sse("/data", data);
// @ts-expect-error text neither
ingress.sse("/text", text);
// @ts-expect-error an iterable of what is no event
ingress.sse("/numbers", counted);
// @ts-expect-error nor one of pieces
ingress.sse("/pieces", streamed);
// @ts-expect-error nor a stream of bytes
ingress.sse("/web", web);
// @ts-expect-error a list is there at once: it is no stream
ingress.sse("/list", list);
// @ts-expect-error what is published is what the channel carries
channel.publish({ data: { euros: 1 } });
// @ts-expect-error there is no such option
ingress.sse("/option", made, { heartbeat: 1000 });
// @ts-expect-error milliseconds are a number
ingress.sse("/ms", made, { retryMs: "1s" });
// @ts-expect-error an event has data
const empty: ServerEvent = { event: "price" };
void empty;

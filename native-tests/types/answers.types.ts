// Compiled, never run: an unused @ts-expect-error fails the build. Each says what
// must not compile.

import {
  Axon,
  Framework,
  fault,
  html,
  ProblemDetail,
  type Reply,
  respond,
  Type,
  transition,
} from "framework";
import type { OutOf } from "#runtime/axon/axon-flow.js";

const Shown = Type.Object({ id: Type.Integer() });
const start = Axon.start("a");
const problem = new ProblemDetail({ status: 404, code: "NONE", title: "None" });

// What must compile
start.thenFn("s", () => respond({ status: 201, body: { id: 1 } })).withOutputSchema(Shown);
start
  .thenFn("s", () => (Math.random() > 0.5 ? respond({ body: { id: 1 } }) : { id: 2 }))
  .withOutputSchema(Shown);
start.thenFn("s", () => (Math.random() > 0.5 ? html("<p>") : { id: 2 })).withOutputSchema(Shown);
start.thenFn("s", () => (Math.random() > 0.5 ? respond({ status: 303 }) : { id: 2 })).withOutputSchema(Shown);
start
  .thenFn("s", () => (Math.random() > 0.5 ? respond({ body: problem }) : { id: 2 }))
  .withOutputSchema(Shown);
transition({ name: "t", output: Shown, run: () => respond({ body: { id: 1 } }) });
const replied = start.thenFn("s", () => respond({ body: { id: 1 } }));
const kept: Reply<{ id: number }> = {} as OutOf<typeof replied>;
const next = replied.thenFn("next", ({ body, status }) => body.id + status);
const nothing: Reply<undefined> = respond({ status: 304 });
void [kept, next, nothing];
const reserve = start.thenFn("r", () => fault({ kind: "full", seats: 3 }));
Framework.http().get("/r", reserve, {
  onFault: ({ seats }) => (seats > 2 ? respond({ status: 409, body: { seats } }) : undefined),
});
Framework.http().mount({ "GET /r": [reserve, { onFault: () => problem }] });

// What must not
// @ts-expect-error the body is not what the schema says
start.thenFn("s", () => respond({ body: { id: "1" } })).withOutputSchema(Shown);
// @ts-expect-error one of the bodies is not
start.thenFn("s", () => (Math.random() > 0.5 ? respond({ body: "x" }) : { id: 2 })).withOutputSchema(Shown);
// @ts-expect-error a step's own schema is about the body too
transition({ name: "t", output: Shown, run: () => respond({ body: { id: "1" } }) });
// @ts-expect-error data that looks like a reply is data
start.thenFn("s", () => ({ status: 200, headers: {}, body: { id: 1 } })).withOutputSchema(Shown);
// @ts-expect-error a header is text
respond({ headers: { "content-length": 5 } });
// @ts-expect-error the Axon's fault has no such member
Framework.http().get("/r", reserve, { onFault: ({ rows }) => (rows ? problem : undefined) });
// @ts-expect-error a fault is answered by a problem or a reply
Framework.http().get("/r", reserve, { onFault: () => "full" });
// @ts-expect-error a fault is answered at once
Framework.http().get("/r", reserve, { onFault: async () => problem });

async function* rows() {
  yield "a";
}
// Data or a stream: the schema is about the data.
start
  .thenFn("s", () => (Math.random() > 0.5 ? respond({ body: rows(), length: 1 }) : { id: 2 }))
  .withOutputSchema(Shown);
start.thenFn("s", () => (Math.random() > 0.5 ? new Blob([]) : { id: 2 })).withOutputSchema(Shown);
// @ts-expect-error: a stream has no schema
start.thenFn("s", () => rows()).withOutputSchema(Type.Unknown());
// @ts-expect-error: nor has one in a reply
start.thenFn("s", () => respond({ body: new ReadableStream<string>() })).withOutputSchema(Type.Unknown());

// Compiled, never run: an unused @ts-expect-error fails the build. Each says what
// must not compile.

import {
  Axon,
  emit,
  eventKind,
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
const created = { responses: [{ status: 201 }] } as const;
start.thenFn("s", created, () => respond({ status: 201, body: { id: 1 } })).withOutputSchema(Shown);
start
  .thenFn("s", () => (Math.random() > 0.5 ? respond({ body: { id: 1 } }) : { id: 2 }))
  .withOutputSchema(Shown);
start.thenFn("s", () => (Math.random() > 0.5 ? html("<p>") : { id: 2 })).withOutputSchema(Shown);
start
  .thenFn("s", { responses: [{ status: 303 }] }, () =>
    Math.random() > 0.5 ? respond({ status: 303 }) : { id: 2 },
  )
  .withOutputSchema(Shown);
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

// Statuses
const chance = Math.random() > 0.5;
const Sold = eventKind<undefined>()("sold");
const GONE = new ProblemDetail({ status: 410, code: "GONE", title: "Gone" });
const CREATED = { status: 201 };
const status = Math.round(Math.random() * 99) + 200;
const found: Reply<string, 201 | 203> = respond({ status: chance ? 201 : 203, body: "" });
const usual: Reply<string, 200> = respond({ body: "" });
const empty: Reply<undefined, 204> = respond();
const written: Reply<string | undefined> = respond<string | undefined>({ status: 201, body: "" });
void [found, usual, empty, written];

// What must compile
start.thenFn("s", () => respond({ body: "" }));
start.thenFn("s", { responses: [GONE] }, () => (chance ? fault(GONE) : respond({ body: "" })));
start.thenFn("s", { responses: [{ status: 201 }, { status: 203 }, GONE] }, async () =>
  chance ? respond({ status: 201 }) : respond({ status: chance ? 201 : 203, body: "" }),
);
start.thenFn("s", { responses: [{ status: 200 }, { status: 201 }] }, () =>
  chance ? respond({ body: "" }) : respond({ status: 201 }),
);
start.thenFn("s", { responses: [{ status: 304 }] }, () =>
  chance ? respond({ body: "" }) : respond({ status: 304 }),
);
start.thenFn("s", () => respond({ status, body: "" }));
start.thenFn("s", () => respond({ body: GONE }));
start.thenFn("s", { responses: [CREATED] }, () => respond({ status: 201 }));
start.then(transition({ name: "t", responses: [{ status: 202 }], run: () => respond({ status: 202 }) }));
start.then({ name: "t", responses: [{ status: 202 }] as const, run: () => respond({ status: 202 }) });
start.thenWithTimeout({ name: "t", responses: [{ status: 202 }], run: () => respond({ status: 202 }) }, 5);

// What must not
// @ts-expect-error 201 is not declared
start.thenFn("s", () => respond({ status: 201, body: "" }));
// @ts-expect-error nor in a promise
start.thenFn("s", async () => respond({ status: 201, body: "" }));
// @ts-expect-error one of two is not declared
start.thenFn("s", created, () => (chance ? respond({ status: 201 }) : respond({ status: 203 })));
// @ts-expect-error one status of a reply is not declared
start.thenFn("s", created, () => respond({ status: chance ? 201 : 203 }));
// @ts-expect-error a declared problem is another response
start.thenFn("s", { responses: [GONE] }, () => (chance ? fault(GONE) : respond({ status: 201 })));
// @ts-expect-error without a body the status is 204
start.thenFn("s", () => respond({ headers: { "x-a": "1" } }));
// @ts-expect-error beside a declared success 200 has to be declared
start.thenFn("s", created, () => (chance ? respond({ status: 201 }) : respond({ body: "" })));
// @ts-expect-error a reply with an event is sent too
start.thenFn("s", { emits: [Sold] }, () => emit(Sold, undefined, respond({ status: 201 })));
// @ts-expect-error a step made by transition() says it as well
transition({ name: "t", run: () => respond({ status: 202 }) });
// @ts-expect-error so does one that is written out
start.then({ name: "t", run: () => respond({ status: 202 }) });
// @ts-expect-error so does one with a time limit
start.thenWithTimeout({ name: "t", run: () => respond({ status: 202 }) }, 5);

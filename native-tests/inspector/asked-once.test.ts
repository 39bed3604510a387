// What a program is asked about its faults is the same whether somebody watches or not.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  BearerAuth,
  Framework,
  fault,
  ProblemDetail,
  RetryPolicy,
  respond,
  transition,
} from "framework";
import { TestApp } from "framework/http";
import { inspectorOf } from "framework/inspector";

const OPERATOR = "operator-token-0123456789";
const headers = { host: "localhost", authorization: `Bearer ${OPERATOR}` };
const auth = BearerAuth.tokens({ operator: OPERATOR });

class Gone {
  readonly #asked: { count: number };

  constructor(asked: { count: number }) {
    this.#asked = asked;
  }

  toProblemDetail(): ProblemDetail {
    this.#asked.count += 1;
    return new ProblemDetail({ status: 410, code: "GONE", title: `Gone ${this.#asked.count}` });
  }
}

/** Errors that say how often they were asked: each is one object for all its runs. */
function askedErrors() {
  const asked = { count: 0 };
  const errors: Readonly<Record<string, () => unknown>> = {
    reply: () => ({ toReply: () => respond({ status: 409, body: `${++asked.count}` }) }),
    problem: () => new Gone(asked),
    json: () => ({ toJSON: () => ({ n: ++asked.count }) }),
    thrown: () => {
      throw { toJSON: () => ({ n: ++asked.count }) };
    },
  };
  return { asked, errors };
}

const withoutId = (text: string): string => text.replace(/"request_id":"[^"]*"/, "");
const failing = (error: () => unknown) => fault(error() as ProblemDetail);

/** Routes and one WebSocket that fail, each in its own way. */
function failingIngress(production: boolean) {
  const { asked, errors } = askedErrors();
  const plain = Framework.http({ reporter: () => {} });
  plain.plan = { ...plain.plan, production };
  const routed = Object.entries(errors).reduce(
    (ingress, [name, error]) =>
      ingress.get(
        `/${name}`,
        Axon.start(name).thenFn("fail", () => failing(error)),
      ) as typeof ingress,
    plain,
  );
  const ingress = routed.ws("/talk", {
    message: (name: unknown) => failing(errors[name as string] as () => unknown),
  } as never);
  return { asked, names: Object.keys(errors), ingress: ingress as typeof plain };
}

/** All that clients of it are told, in order, and how often its program was asked for that. */
async function told(production: boolean, capture?: "off" | "full") {
  const { asked, names, ingress } = failingIngress(production);
  const isWatched = capture !== undefined;
  const watched = isWatched ? ingress.inspector({ enabled: true, auth, capturePayloads: capture }) : ingress;
  const app = new TestApp(watched);
  await app.start();
  const inspector = isWatched ? inspectorOf(watched).app : undefined;
  const feed = await inspector?.ws("/api/v1/events", { headers });
  const kinds = ["node_exit", "circuit_exit"];
  await feed?.next();
  feed?.send(JSON.stringify({ type: "subscribe", kinds }));
  // No request: its answer says that the one before was taken.
  feed?.send("{");
  await feed?.next();
  const answers: unknown[] = [];
  for (const name of [...names, ...names]) {
    const { status, text } = await app.get(`/${name}`);
    answers.push([status, withoutId(text)]);
  }
  for (const name of names) {
    const socket = await app.ws("/talk");
    socket.send(name);
    answers.push(name === "thrown" ? (await socket.closed).code : withoutId((await socket.next()) as string));
  }
  const listed = (await inspector?.get("/api/v1/traces", { headers }))?.json as any;
  const events: any[] = [];
  while (feed !== undefined && events.length < 2 * answers.length)
    // Handshakes are runs too.
    for (const event of JSON.parse((await feed.next()) as string).events)
      if (event.kind === "node_exit" ? event.fault !== null : event.run.fault !== null) events.push(event);
  const { count: times } = asked;
  await app.close();
  await inspector?.close();
  return {
    answers,
    times,
    traces: listed?.data.traces.filter((one: any) => one.fault !== null) as any[],
    events,
  };
}

describe("a fault whose answer the program makes", () => {
  for (const production of [false, true])
    test(`is asked for it once, and answered the same, watched or not${production ? " in production" : ""}`, async () => {
      const alone = await told(production);
      const watched = [await told(production, "off"), await told(production, "full")];

      assert.equal(alone.times, alone.answers.length);
      for (const { answers, times } of watched) {
        assert.deepEqual(answers, alone.answers);
        assert.equal(times, alone.times);
      }
    });

  test("is told to who watches as it was answered", async () => {
    const { traces, events } = await told(false, "full");
    const shown = traces.map(({ fault: { code, status, title, detail } }) => [code, status, title, detail]);
    assert.deepEqual(shown.toReversed().slice(4, 8), [
      [null, 409, "Answered with status 409", null],
      ["GONE", 410, "Gone 6", null],
      [
        "FAULT_UNMAPPED",
        500,
        "A fault says no status: it was answered 500",
        "A fault says no status: a fault",
      ],
      ["TRANSITION_PANIC", 500, "A step threw", "Step 'fail' threw: a fault"],
    ]);
    // A message's, on its connection.
    assert.deepEqual(shown.toReversed()[9], ["GONE", 410, "Gone 10", null]);
    const ofRuns = events.filter(({ kind }) => kind === "circuit_exit").map(({ run }) => run.fault.title);
    assert.deepEqual(
      ofRuns,
      shown.toReversed().map(([, , title]) => title),
    );
    const ofNodes = events.filter(({ kind }) => kind === "node_exit").map(({ fault }) => fault);
    assert.deepEqual(ofNodes.slice(0, 4), ["a fault", "Gone", "a fault", "A step threw"]);
  });

  test("is not asked for it where its route says the answer, or a later attempt does", async () => {
    const asked = { count: 0 };
    let attempts = 0;
    const shaky = transition({
      name: "shaky",
      run: () => (++attempts < 3 ? fault(new Gone(asked)) : attempts),
    });
    const ingress = Framework.http()
      .get(
        "/mapped",
        Axon.start("mapped").thenFn("fail", () => fault(new Gone(asked))),
        { onFault: () => new ProblemDetail({ status: 404, code: "HIDDEN", title: "Nothing here" }) },
      )
      .get("/again", Axon.start("again").thenWithRetry(shaky, RetryPolicy.fixed(3, 0)))
      .inspector({ enabled: true, auth });
    const app = new TestApp(ingress);
    await app.start();
    const { app: inspector } = inspectorOf(ingress);
    const statuses = [(await app.get("/mapped")).status, (await app.get("/again")).status];
    const { data } = (await inspector.get("/api/v1/traces?circuit=mapped", { headers })).json as any;
    await app.close();
    await inspector.close();

    assert.deepEqual([statuses, attempts, asked.count], [[404, 200], 3, 0]);
    const [{ fault: shown }] = data.traces;
    assert.deepEqual([shown.code, shown.status, shown.title], ["HIDDEN", 404, "Nothing here"]);
  });
});

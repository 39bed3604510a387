// Streams that a step has answered and nobody is sent: each is cancelled, once.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  BearerAuth,
  Framework,
  fault,
  type Layer,
  layer,
  ProblemDetail,
  type Report,
  respond,
  Type,
} from "framework";
import { TestApp } from "framework/http";
import { until } from "../../support/patience.js";
import { makes } from "../../support/released-streams.js";

const auth = BearerAuth.tokens({ operator: "operator-token-0123456789" });

const REFUSED = fault(new ProblemDetail({ status: 409, code: "REFUSED", title: "Refused" }));

/** What a layer answers in the place of a stream. */
const instead: Readonly<Record<string, (next: () => unknown) => unknown>> = {
  "a value": (next) => {
    next();
    return { n: 1 };
  },
  "nothing, later": async (next) => {
    await next();
  },
  "a fault, later": async (next) => {
    await next();
    return REFUSED;
  },
  "a fault, before it is there": (next) => {
    void next();
    return REFUSED;
  },
  "a failure": (next) => {
    next();
    throw new Error("layer");
  },
  "a failure, later": async (next) => {
    await next();
    throw new Error("layer");
  },
  "a reply without it": async (next) => {
    await next();
    return respond({ status: 503 });
  },
};

const layerOf = (run: (next: () => unknown) => unknown): Layer =>
  layer({ name: "instead", run: (_, next) => run(next) as never });

const subgraphOf = (step: () => unknown) => Axon.start("inner").thenFn("step", step).asTransition();

/** Answers data, or a stream. */
const checked = (step: () => unknown) =>
  Axon.start("feed")
    .thenFn("step", step as () => { n: number } | Promise<{ n: number }>)
    .withOutputSchema(Type.Object({ n: Type.Number() }));

function served(step: () => unknown, run?: (next: () => unknown) => unknown, isWatched = false) {
  const reports: Report[] = [];
  const plain = Framework.http({ reporter: (report) => void reports.push(report) });
  const layered = run === undefined ? plain : plain.layer(layerOf(run));
  const ingress = layered.get("/", Axon.start("feed").thenFn("step", step));
  const app = new TestApp(isWatched ? ingress.inspector({ enabled: true, auth }) : ingress);
  return { app, reports: () => reports.filter(({ code }) => code === "STREAM_FAILED") };
}

describe("a stream that nobody is sent", () => {
  for (const [what, run] of Object.entries(instead))
    test(`is cancelled where a layer answers ${what}`, async () => {
      for (const isWatched of [false, true])
        for (const isLate of [false, true]) {
          const { released, all } = makes();
          for (const make of Object.values(all)) {
            const before = released.count;
            const step = isLate ? async () => make() : make;
            const { app, reports } = served(step, run, isWatched);
            await app.start();
            assert.ok((await app.get("/")).status < 600);
            await until("the stream's end", async () => released.count > before);
            await app.close();
            assert.deepEqual([released.count, reports()], [before + 1, []]);
          }
        }
    });

  const placed = {
    "in a subgraph": (step: () => unknown) => Axon.start("feed").then(subgraphOf(step)),
    "before the output's check": checked,
  };
  for (const [where, axon] of Object.entries(placed))
    test(`is cancelled where a layer answers something else, and it was made ${where}`, async () => {
      for (const isWatched of [false, true])
        for (const isLate of [false, true]) {
          const { released, all } = makes();
          const ingress = Framework.http({ reporter: () => {} })
            .layer(layerOf(instead["a fault, before it is there"] as (next: () => unknown) => unknown))
            .get("/", axon(isLate ? async () => all.iterable() : all.iterable));
          const app = new TestApp(isWatched ? ingress.inspector({ enabled: true, auth }) : ingress);
          await app.start();
          await app.get("/");
          await until("the stream's end", async () => released.count === 1);
          await app.close();
        }
    });

  test("is cancelled under several layers, once", async () => {
    const { released, all } = makes();
    const keep = layerOf(async (next) => next());
    const ingress = Framework.http()
      .layer(layerOf(async (next) => ((await next()) === undefined ? 1 : 2)))
      .layer(keep)
      .get("/", Axon.start("feed").thenFn("step", all.iterable));
    await new TestApp(ingress).get("/");

    assert.equal(released.count, 1);
  });

  test("is cancelled where the outermost of several layers has answered long before, and nothing fails", async () => {
    for (const outcome of ["a stream", "a fault"]) {
      const { released, all } = makes();
      let answer: (given: unknown) => void = () => {};
      const step = () => new Promise((resolve) => (answer = resolve));
      const ingress = Framework.http()
        .layer(layerOf(instead["a fault, before it is there"] as (next: () => unknown) => unknown))
        .layer(layerOf(async (next) => next()))
        .get("/", Axon.start("feed").thenFn("step", step));
      await using app = new TestApp(ingress);
      assert.equal((await app.get("/")).status, 409);
      answer(outcome === "a stream" ? all.iterable() : REFUSED);
      // A rejection that nobody handles would fail the test.
      if (outcome === "a stream") await until("the stream's end", () => released.count === 1);
      else await new Promise((resolve) => setImmediate(resolve));
    }
  });

  test("is told of with its request where layers inside one that has answered answer something else", async () => {
    const failures: unknown[] = [];
    const noted = (error: unknown): void => void failures.push(error);
    process.on("unhandledRejection", noted);
    const another = async (next: () => unknown): Promise<string> => {
      await next();
      return "another";
    };
    const ingress = Framework.http()
      .layer(layerOf(instead["a fault, before it is there"] as (next: () => unknown) => unknown))
      .layer(layerOf(another))
      .get(
        "/",
        Axon.start("feed").thenFn("step", () => new Promise(() => {})),
      );
    await using app = new TestApp(ingress);
    assert.equal((await app.get("/")).status, 409);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", noted);

    assert.deepEqual(failures, []);
  });

  test("is not cancelled where a layer sends it on, as it is or in another", async () => {
    async function* louder(pieces: AsyncIterable<string>) {
      for await (const piece of pieces) yield piece.toUpperCase();
    }
    async function* quiet() {
      yield "a";
      yield "b";
    }
    const ways: ((next: () => any) => unknown)[] = [
      (next) => next(),
      async (next) => next(),
      async (next) => respond({ body: await next() }),
      async (next) => louder(await next()),
      async (next) => respond({ body: louder(await next()) }),
    ];
    for (const way of ways) {
      const { app } = served(quiet, way);
      assert.equal((await app.get("/")).text.toLowerCase(), "ab");
    }
  });

  const mounted = {
    get: (step: () => unknown, timeoutMs: number) =>
      Framework.http({ reporter: () => {} }).get("/", Axon.start("feed").thenFn("step", step), { timeoutMs }),
    "a subgraph": (step: () => unknown, timeoutMs: number) =>
      Framework.http({ reporter: () => {} }).get("/", Axon.start("feed").then(subgraphOf(step)), {
        timeoutMs,
      }),
    "an Axon with an output schema": (step: () => unknown, timeoutMs: number) =>
      Framework.http({ reporter: () => {} }).get("/", checked(step), { timeoutMs }),
    sse: (step: () => unknown, timeoutMs: number) =>
      Framework.http({ reporter: () => {} }).sse(
        "/",
        Axon.start("feed").thenFn("step", step as never) as never,
        {
          timeoutMs,
        } as never,
      ),
  };
  for (const [kind, mount] of Object.entries(mounted))
    for (const isWatched of [false, true])
      test(`is cancelled where its client has gone before it was there, or the time was up: ${kind}${isWatched ? ", watched" : ""}`, async () => {
        for (const leaves of [true, false]) {
          const { released, all } = makes();
          const gone = new AbortController();
          let answer: (stream: unknown) => void = () => {};
          let hasBegun = false;
          const step = (): Promise<unknown> => {
            hasBegun = true;
            return new Promise((resolve) => {
              answer = resolve;
            });
          };
          const plain = mount(step, leaves ? 60_000 : 250);
          const app = new TestApp(isWatched ? plain.inspector({ enabled: true, auth }) : plain);
          await app.start();
          const asked = app.get("/", { signal: gone.signal });
          await until("the step", async () => hasBegun);
          if (leaves) {
            gone.abort();
            await assert.rejects(asked);
          } else assert.equal((await asked).status, 504);
          answer(all.iterable());
          await until("the stream's end", async () => released.count === 1);
          await app.close();
        }
      });

  test("is cancelled where it is events", async () => {
    for (const run of Object.values(instead)) {
      const { released, all } = makes();
      const ingress = Framework.http({ reporter: () => {} })
        .layer(layerOf(run))
        .sse("/", Axon.start("feed").thenFn("step", all.iterable as never) as never);
      await new TestApp(ingress).get("/");
      await until("the stream's end", async () => released.count > 0);

      assert.equal(released.count, 1);
    }
  });

  test("that fails when it is to stop is reported, and the answer is the layer's", async () => {
    const failing = (): AsyncIterable<string> => ({
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: true, value: undefined }),
        return: () => Promise.reject(new Error("stuck")),
      }),
    });
    const { app, reports } = served(failing, async (next) => {
      await next();
      return { n: 1 };
    });

    assert.deepEqual((await app.get("/")).json, { n: 1 });
    await until("a report", async () => reports().length === 1);
  });

  test("leaves alone what somebody else reads, and what is no answer", async () => {
    const { released, all } = makes();
    const locked = all.web();
    locked.getReader();
    const { app, reports } = served(
      () => locked,
      async (next) => {
        await next();
        return { n: 1 };
      },
    );

    assert.deepEqual((await app.get("/")).json, { n: 1 });
    const used = Axon.start("used")
      .thenFn("make", all.iterable)
      .thenFn("use", () => "used");
    assert.equal((await new TestApp(Framework.http().get("/", used)).get("/")).text, "used");
    assert.deepEqual([released.count, reports()], [0, []]);
  });
});

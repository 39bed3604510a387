// Streams that a layer makes of what it stands around, and that are let go of before they are
// begun: what is inside is cancelled with them, once.

import assert from "node:assert/strict";
import { Readable, Transform } from "node:stream";
import { describe, test } from "node:test";

import { Axon, Framework, type Layer, layer, type Report, respond } from "framework";
import { TestApp } from "framework/http";
import { until } from "../../support/patience.js";
import { makes } from "../../support/released-streams.js";

type Pieces = AsyncIterable<string>;

async function* louder(pieces: Pieces): AsyncGenerator<string> {
  for await (const piece of pieces) yield piece.toUpperCase();
}

/** What a layer makes of the stream that it stands around. */
const wrappers: Readonly<Record<string, (pieces: Pieces) => unknown>> = {
  "a generator": louder,
  "a reply with a generator": (pieces) => respond({ body: louder(pieces) }),
  "a Readable of a generator": (pieces) => Readable.from(louder(pieces)),
  "a stream of the web of a generator": (pieces) => Readable.toWeb(Readable.from(louder(pieces))),
  "a Readable that it is not piped to yet": () => new Transform(),
  "a generator of a generator": (pieces) => louder(louder(pieces)),
};

const layerOf = (wrap: (pieces: Pieces) => unknown, isLate: boolean): Layer =>
  layer({
    name: "wrap",
    run: (_, next) =>
      (isLate ? (async () => wrap((await next()) as Pieces))() : wrap(next() as Pieces)) as never,
  });

const reports: Report[] = [];

function served(step: () => unknown, ...layers: readonly Layer[]): TestApp<any> {
  reports.length = 0;
  let ingress = Framework.http({ reporter: (report) => void reports.push(report) });
  for (const one of layers) ingress = ingress.layer(one);
  const axon = Axon.start("feed").thenFn("step", step);
  return new TestApp<any>(ingress.get("/", axon), {});
}

/** Gives a stream when its client has gone. */
async function leave(app: TestApp<any>, answer: () => void, hasBegun: () => boolean): Promise<void> {
  const gone = new AbortController();
  await app.start();
  const asked = app.get("/", { signal: gone.signal });
  await until("the step", hasBegun);
  gone.abort();
  await assert.rejects(asked);
  answer();
}

/** A step whose answer comes when it is told to. */
function waiting(make: () => unknown) {
  let answer: () => void = () => {};
  let hasBegun = false;
  const step = (): Promise<unknown> => {
    hasBegun = true;
    return new Promise((resolve) => {
      answer = () => resolve(make());
    });
  };
  return { step, answer: () => answer(), hasBegun: () => hasBegun };
}

describe("a stream that a layer has made another of", () => {
  for (const [what, wrap] of Object.entries(wrappers)) {
    test(`is cancelled where a client asks for the head alone: ${what}`, async () => {
      for (const isLate of [false, true]) {
        const { released, all } = makes();
        await using app = served(all.iterable, layerOf(wrap, isLate));
        assert.equal((await app.head("/")).status, 200);
        await until("the stream's end", () => released.count > 0);
        await app.close();

        assert.deepEqual([released.count, reports], [1, []]);
      }
    });

    test(`is cancelled where its client has gone before it was there: ${what}`, async () => {
      const { released, all } = makes();
      const { step, answer, hasBegun } = waiting(all.iterable);
      const app = served(step, layerOf(wrap, true));
      await leave(app, answer, hasBegun);
      await until("the stream's end", () => released.count > 0);
      await app.close();

      assert.deepEqual([released.count, reports], [1, []]);
    });
  }

  test("is cancelled through several layers, once", async () => {
    const { released, all } = makes();
    const app = served(
      all.iterable,
      layerOf(louder, false),
      layerOf(louder, true),
      layerOf((same) => same, true),
    );
    await app.head("/");
    await until("the stream's end", () => released.count > 0);
    await app.close();

    assert.equal(released.count, 1);
  });

  test("is let go of by the other where that has begun, or was written to be ended", async () => {
    const { released, all } = makes();
    const own = (pieces: Pieces): Pieces => ({
      [Symbol.asyncIterator]: () => pieces[Symbol.asyncIterator](),
    });
    await using app = served(all.iterable, layerOf(own, true));
    await app.head("/");
    await until("its end", () => released.count === 1);
    await using other = served(all.iterable, layerOf(louder, true));
    const stream = await other.stream("/");
    stream.leave();
    await until("the other's end", () => released.count === 2);
    await other.close();

    assert.equal(released.count, 2);
  });

  /** What a layer around both does with the other before it answers no stream. */
  const taking: Readonly<Record<string, (pieces: Pieces) => Promise<unknown>>> = {
    "reads a piece of it": async (pieces) => {
      await (pieces as AsyncGenerator<string>).next();
      return { text: "other" };
    },
    "reads a piece of it and answers nothing": async (pieces) =>
      void (await (pieces as AsyncGenerator<string>).next()),
    "reads a piece of it and throws": async (pieces) => {
      await (pieces as AsyncGenerator<string>).next();
      throw new Error("taken");
    },
    "reads it to its end": async (pieces) => {
      for await (const _ of pieces);
      return { text: "other" };
    },
  };
  for (const [what, take] of Object.entries(taking))
    test(`is ended by the other alone where a layer ${what}`, async () => {
      const calls: string[] = [];
      const once = (): Pieces => ({
        [Symbol.asyncIterator]() {
          calls.push("open");
          if (calls.length > 1) throw new Error("already read");
          let left = 2;
          return {
            next: async () =>
              left-- > 0 ? { done: false, value: "more" } : { done: true, value: undefined },
            return: async () => {
              calls.push("return");
              return { done: true, value: undefined };
            },
          };
        },
      });
      const outer = layer({
        name: "take",
        run: (_, next) => (async () => take((await next()) as Pieces))() as never,
      });
      const app = served(once, outer, layerOf(louder, true));
      await app.get("/");
      if (!what.includes("end")) await until("the stream's end", () => calls.includes("return"));
      // What else would be ended is within some turns.
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      await app.close();

      assert.deepEqual(calls, what.includes("end") ? ["open"] : ["open", "return"]);
      assert.deepEqual(
        reports.filter(({ code }) => code === "STREAM_FAILED"),
        [],
      );
    });

  test("is let go of with the other that a layer has put aside unread", async () => {
    for (const make of ["web", "readable"] as const) {
      const { released, all } = makes();
      const aside = layer({
        name: "aside",
        responses: [{ status: 204 }],
        run: (_, next) => (async () => void (await next()))() as never,
      });
      await using app = served(all[make], aside, layerOf(louder, true));
      await app.get("/");
      await until("the stream's end", () => released.count > 0);

      assert.deepEqual([released.count, reports], [1, []]);
    }
  });

  test("is sent whole where somebody takes it", async () => {
    async function* quiet() {
      yield "a";
      yield "b";
    }
    for (const [what, wrap] of Object.entries(wrappers)) {
      if (what.includes("not piped")) continue;
      await using app = served(quiet, layerOf(wrap, true));
      assert.equal((await app.get("/")).text, "AB", what);
    }
  });
});

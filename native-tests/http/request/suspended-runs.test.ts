// Runs that their guards have let in, and whose bodies are still on the way.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  type BusView,
  busKey,
  Framework,
  guard,
  header,
  isFault,
  pass,
  type Recorder,
  Type,
} from "framework";
import type { WatchedCircuit } from "framework/core";
import { TestApp } from "framework/http";

const Who = busKey<string>()("Who");
const Name = header("x-name");

/** A server whose guard says who asks, and whose step answers that with the body. */
function greeter(options: { readonly later?: boolean; readonly recorder?: Recorder } = {}) {
  const kept: BusView<typeof Name, typeof Who>[] = [];
  const naming = guard({
    name: "naming",
    reads: [Name],
    writes: [Who],
    run: (input, bus) => {
      kept.push(bus);
      bus.set(Who, bus.get(Name));
      return options.later === true ? Promise.resolve(pass(input)) : pass(input);
    },
  });
  const axon = Axon.start("greet", Type.Object({ text: Type.String() })).thenFn(
    "tell",
    ({ text }, bus) => `${bus.get(Who)}: ${text}`,
    { reads: [Who] },
  );
  const app = new TestApp(
    Framework.http({ reporter: () => {}, ...(options.recorder && { recorder: options.recorder }) })
      .guard(naming)
      .post("/", axon, { bodyLimit: 60 }),
  );
  const post = (name: string, body: string | AsyncIterable<string>, length?: number) =>
    app.post("/", {
      headers: {
        "x-name": name,
        "content-type": "application/json",
        ...(length !== undefined && { "content-length": `${length}` }),
      },
      body,
    });
  return { app, post, kept };
}

/** `text` in two pieces, the second when `release` is called. */
function halves(text: string) {
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  async function* pieces(): AsyncGenerator<string> {
    yield text.slice(0, 4);
    await gate;
    yield text.slice(4);
  }
  return { body: pieces(), release, length: text.length };
}

const said = (text: string): string => JSON.stringify({ text });

describe("a run that waits for its body alone", () => {
  test("goes on with what its own guards wrote, however many wait beside it", async () => {
    const { post } = greeter();
    const first = halves(said("first"));
    const second = halves(said("second"));
    const answers = [post("Ann", first.body, first.length), post("Bob", second.body, second.length)];
    const third = await post("Cid", said("third"));
    second.release();
    first.release();

    assert.deepEqual(
      (await Promise.all(answers)).map(({ text }) => text),
      ["Ann: first", "Bob: second"],
    );
    assert.equal(third.text, "Cid: third");
  });

  test("leaves nothing to the next", async () => {
    const { post, kept } = greeter();
    for (const name of ["Ann", "Bob"]) assert.equal((await post(name, said("x"))).text, `${name}: x`);

    for (const bus of kept) assert.throws(() => bus.get(Name), { code: "BUS_RELEASED" });
  });

  test("is refused for a body against its schema as any other", async () => {
    for (const later of [false, true]) {
      const { post } = greeter({ later });

      assert.deepEqual(
        [(await post("Ann", "{}")).status, (await post("Ann", "{")).status, (await post("Ann", "")).status],
        [422, 400, 400],
      );
    }
  });
});

describe("a watched run that waits for its body alone", () => {
  /** The same server, watched; what its recorder was told of each run. */
  function watched(kind: "counted" | "all") {
    const log: string[] = [];
    const circuits: WatchedCircuit[] = [];
    const waiting: (() => void)[] = [];
    const recorder: Recorder = {
      mounted: (circuit) => {
        circuits.push(circuit);
        circuit.watch({ kind });
      },
      ended: ({ timeline }, outcome) => {
        const left = timeline.events.filter((event) => event.kind === "node_exit");
        const nodes = left.map((event) => `${event.node.split("/").at(-1)} ${event.outcome}`).join(", ");
        log.push(`${isFault(outcome) ? "fault" : outcome}: ${nodes}`);
        for (const tell of waiting.splice(0)) tell();
      },
      answered: (_run, { status }) => log.push(`answered ${status}`),
    };
    const ended = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));
    return { ...greeter({ recorder }), log, circuits, ended };
  }

  test("is told of whole, in order, and answered the same", async () => {
    const { post, log } = watched("all");
    const first = halves(said("first"));
    const answer = post("Ann", first.body, first.length);
    assert.equal((await post("Bob", said("x"))).text, "Bob: x");
    first.release();
    assert.equal((await answer).text, "Ann: first");

    assert.deepEqual(log, [
      "Bob: x: naming next, greet:in next, tell next",
      "answered 200",
      "Ann: first: naming next, greet:in next, tell next",
      "answered 200",
    ]);
  });

  test("is told why its input did not come", async () => {
    const { post, log } = watched("all");
    const statuses = [
      (await post("Ann", "{}")).status,
      (await post("Ann", "{")).status,
      (await post("Ann", said("x".repeat(60)))).status,
    ];

    assert.deepEqual(statuses, [422, 400, 413]);
    assert.deepEqual(
      log,
      statuses.flatMap((status) => ["fault: naming next, greet:in fault", `answered ${status}`]),
    );
  });

  test("is told that its client has gone", async () => {
    const { app, log, ended } = watched("all");
    const leaving = new AbortController();
    const told = ended();
    const { body, length } = halves(said("never"));
    const headers = { "x-name": "Ann", "content-type": "application/json", "content-length": `${length}` };
    const answer = app.post("/", { headers, body, signal: leaving.signal }).catch(() => {});
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    leaving.abort();
    await answer;
    await told;
    await new Promise((resolve) => setImmediate(resolve));

    assert.deepEqual(log, ["fault: naming next, greet:in fault", "answered 0"]);
  });

  test("is counted once, and its refusal with it", async () => {
    for (const kind of ["counted", "all"] as const) {
      const { post, circuits } = watched(kind);
      await post("Ann", said("x"));
      await post("Ann", "{}");
      const counts = circuits.find(({ name }) => name === "greet")?.counts;

      assert.deepEqual([...(counts?.entered ?? [])], [2, 2, 1], kind);
      assert.deepEqual([...(counts?.faulted ?? [])], [0, 1, 0], kind);
    }
  });
});

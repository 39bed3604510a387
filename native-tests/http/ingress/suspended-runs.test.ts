// Runs that their guards have let in, and whose bodies are still on the way.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, type BusView, busKey, Framework, guard, header, pass, Type } from "framework";
import { TestApp } from "framework/http";

const Who = busKey<string>()("Who");
const Name = header("x-name");

/** A server whose guard says who asks, and whose step answers that with the body. */
function greeter(options: { readonly later?: boolean } = {}) {
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
    Framework.http({ reporter: () => {} })
      .guard(naming)
      .post("/", axon),
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
  return { post, kept };
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

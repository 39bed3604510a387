// Steps made of steps behind an ingress: what they share, and how they end.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  busKey,
  Framework,
  fault,
  MemoryDeadLetters,
  type Recorder,
  RetryPolicy,
  transition,
} from "framework";
import type { WatchedCircuit } from "framework/core";
import { TestApp } from "framework/http";

import { untyped, untypedApp } from "../../support/untyped.js";

const User = busKey<string>()("User");
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe("composite steps behind an ingress", () => {
  test("that take too long are 504", async () => {
    const slow = transition({ name: "slow", run: () => new Promise<string>(() => {}) });
    const app = new TestApp(Framework.http().get("/", Axon.start("a").thenWithTimeout(slow, 5)));
    const answer = await app.get("/");

    assert.equal(answer.status, 504);
    assert.equal(answer.problem.code, "STEP_TIMEOUT");
  });

  test("that run at once share what is provided, made once, in time or later", async () => {
    for (const make of [(n: number) => `user ${n}`, async (n: number) => `user ${n}`]) {
      let made = 0;
      const read = (name: string) =>
        transition({ name, reads: [User], run: (_: void, bus) => wait(1).then(() => bus.get(User)) });
      const axon = Axon.start("a").parallel([read("one"), read("two")], "AllMustSucceed", (users) =>
        users.join(),
      );
      const app = untypedApp(
        untyped(Framework.http())
          .provide(User, () => {
            made += 1;
            return make(made);
          })
          .get("/", axon),
      );

      assert.equal((await app.get("/")).text, "user 1,user 1");
      assert.equal((await app.get("/")).text, "user 2,user 2");
    }
  });

  test("are tried again for the same request, and keep to its Bus", async () => {
    let calls = 0;
    const shaky = transition({
      name: "shaky",
      reads: [User],
      run: async (_: void, bus) => {
        calls += 1;
        return calls % 3 === 0 ? bus.get(User) : fault("not yet");
      },
    });
    const inner = Axon.start("inner").then(shaky);
    const app = new TestApp(
      Framework.http()
        .provide(User, () => "jane")
        .get("/", Axon.start("a").thenWithRetry(inner.asTransition(), RetryPolicy.fixed(2, 1))),
    );

    assert.equal((await app.get("/")).text, "jane");
    assert.equal(calls, 3);
  });

  test("are undone when the client goes away", async () => {
    const undone: string[] = [];
    const axon = Axon.start("a")
      .thenCompensated({ name: "book", run: async () => "room 7" }, ({ output }) => void undone.push(output))
      .thenFn("hang", () => new Promise<string>(() => {}));
    const app = new TestApp(Framework.http().get("/", axon));
    const controller = new AbortController();
    const asked = app.get("/", { signal: controller.signal });
    await wait(5);
    controller.abort(new Error("gone"));

    await assert.rejects(asked, /gone/);
    await wait(5);
    assert.deepEqual(undone, ["room 7"]);
  });

  test("keep a letter of what failed for want of a provided value", async () => {
    for (const make of [
      async (): Promise<string> => Promise.reject(new Error("down")),
      (): string => {
        throw new Error("down");
      },
    ]) {
      const letters = new MemoryDeadLetters();
      const axon = Axon.start("a")
        .thenFn("first", () => 7)
        .thenFn("second", (n, bus) => `${n} ${bus.get(User)}`, { reads: [User] })
        .withDlqSink(letters);
      const app = untypedApp(
        untyped(Framework.http({ reporter: () => {} }))
          .provide(User, make)
          .get("/", axon),
      );

      assert.equal((await app.get("/")).status, 500);
      assert.deepEqual(
        letters.list().map(({ node, input }) => [node, input]),
        [["a/second", 7]],
      );
    }
  });

  test("are shown to a recorder, circuit by circuit, and traced when it asks", async () => {
    const circuits: WatchedCircuit[] = [];
    const ended: string[] = [];
    const recorder: Recorder = {
      mounted: (circuit) => circuits.push(circuit),
      ended: ({ circuit, timeline }) =>
        ended.push(`${circuit.name} ${timeline.events.map(({ node }) => node).join(" ")}`),
    };
    const hello = Axon.start("hello").thenFn("greet", () => "hello");
    const app = new TestApp(Framework.http({ recorder }).get("/", hello).get("/other", Axon.start("other")));
    await app.get("/");
    assert.deepEqual([circuits.map(({ name }) => name), ended], [["hello", "other"], []]);
    circuits[0]?.watch({ kind: "all" });
    await app.get("/");
    circuits[0]?.watch({ kind: "counted" });
    await app.get("/");

    assert.deepEqual(ended, ["hello hello/greet hello/greet"]);
    assert.equal(circuits[0]?.counts.entered[0], 2);
  });
});

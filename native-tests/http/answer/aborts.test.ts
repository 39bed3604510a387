import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework } from "framework";
import { TestApp } from "framework/http";

describe("a client that goes away", () => {
  test("aborts its run: the signal fires and no further step runs", async () => {
    const seen: string[] = [];
    const gone = new AbortController();
    const slow = Axon.start("slow")
      .thenFn(
        "wait",
        (_, bus) =>
          new Promise<void>((resolve) => {
            bus.signal.addEventListener("abort", () => {
              seen.push("signal");
              resolve();
            });
          }),
      )
      .thenFn("next", () => void seen.push("next"));
    const answer = new TestApp(Framework.http().get("/", slow)).get("/", { signal: gone.signal });
    gone.abort();

    await assert.rejects(answer);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(seen, ["signal"]);
  });

  test("keeps the next step from running where nobody listens to the signal", async () => {
    const seen: string[] = [];
    const gone = new AbortController();
    const slow = Axon.start("slow")
      .thenFn("wait", () => new Promise<void>((resolve) => setTimeout(resolve, 5)))
      .thenFn("next", () => void seen.push("next"));
    const answer = new TestApp(Framework.http().get("/", slow)).get("/", { signal: gone.signal });
    gone.abort();

    await assert.rejects(answer);
    await new Promise((resolve) => setTimeout(resolve, 15));
    assert.deepEqual(seen, []);
  });
});

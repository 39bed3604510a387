import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, busKey, Framework } from "framework";
import { type HttpOptions, TestApp } from "framework/http";

const step = (name: string, run: (input: unknown) => unknown) => Axon.start(name).thenFn(name, run);

describe("a TestApp's life", () => {
  const Db = busKey<{ name: string }>()("Db");
  const Cache = busKey<{ name: string }>()("Cache");

  /** An app that writes down what happens around its requests. */
  function living(options: Omit<HttpOptions<[]>, "resources"> = {}) {
    const told: string[] = [];
    const resource = (name: string) => ({
      name,
      [Symbol.asyncDispose]: async () => {
        told.push(`dispose ${name}`);
      },
    });
    const ingress = Framework.http({ ...options, resources: [Db, Cache] })
      .onStart(({ Db: { name } }) => {
        told.push(`start with ${name}`);
        return () => told.push("undo start");
      })
      .onReady((_, address) => {
        told.push(`ready at ${address}`);
      })
      .onShutdown(async () => {
        told.push("shutdown");
      })
      .get(
        "/",
        step("run", () => {
          told.push("run");
        }),
      );
    return { told, ingress, resources: { Db: resource("db"), Cache: resource("cache") } };
  }

  test("is a server's: hooks around its requests, resources at its end", async () => {
    const { told, ingress, resources } = living();
    {
      await using one = new TestApp(ingress, resources);
      assert.deepEqual(told, []);
      await Promise.all([one.get("/"), one.get("/")]);
    }

    assert.deepEqual(told, [
      "start with db",
      "ready at test.local:80",
      "run",
      "run",
      "shutdown",
      "undo start",
      "dispose cache",
      "dispose db",
    ]);
  });

  test("ends once, and serves nobody after", async () => {
    const { told, ingress, resources } = living();
    const one = new TestApp(ingress, resources);
    await one.start();
    await Promise.all([one.close(), one.close()]);

    assert.equal(told.filter((line) => line === "shutdown").length, 1);
    await assert.rejects(one.get("/"), /is closed/);
  });

  test("is over where a hook fails", async () => {
    const { told, ingress, resources } = living();
    const one = new TestApp(
      ingress.onStart(() => {
        throw new Error("no");
      }),
      resources,
    );

    await assert.rejects(one.get("/"), { code: "START_FAILED" });
    await assert.rejects(one.get("/"), { code: "START_FAILED" });
    assert.deepEqual(told, ["start with db", "shutdown", "undo start", "dispose cache", "dispose db"]);
  });

  test("lasts until what is in flight is answered", async () => {
    let answer = (_: string): void => {};
    const slow = Framework.http().get(
      "/",
      step(
        "slow",
        () =>
          new Promise<string>((resolve) => {
            answer = resolve;
          }),
      ),
    );
    const one = new TestApp(slow);
    const call = one.get("/");
    const closing = one.close();
    setTimeout(() => answer("late"), 20);
    await closing;
    const { text: body, headers } = await call;

    assert.deepEqual([body, headers["connection"]], ["late", "close"]);
  });

  test("cuts what takes longer than stopping may take, and names it", async () => {
    const reports: string[] = [];
    const stuck = Framework.http({ reporter: ({ code, axon }) => void reports.push(`${code} ${axon}`) })
      .gracefulShutdown(20)
      .get(
        "/",
        step("stuck", () => new Promise(() => {})),
      );
    const one = new TestApp(stuck);
    const call = assert.rejects(one.get("/"), /closed unanswered/);
    await one.close();
    await call;

    assert.deepEqual(reports, ["RUN_CUT stuck"]);
  });
});

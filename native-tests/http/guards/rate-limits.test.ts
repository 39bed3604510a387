import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, fault, ProblemDetail } from "framework";
import { TestApp } from "framework/http";
import { RateLimitGuard, type RateLimitOptions } from "framework/std";

const hello = Axon.start("hello").thenFn("greet", () => "hello");

/** Two requests a second, on a clock that stands still. */
const two = (options: RateLimitOptions = {}) => new RateLimitGuard(2, 1000, { now: () => 0, ...options });

const limited = (guards = [two()]) => new TestApp(Framework.http().get("/", hello, { guards }));

const statuses = async (app: ReturnType<typeof limited>, requests: readonly object[]) => {
  const answered: number[] = [];
  for (const request of requests) answered.push((await app.get("/", request)).status);
  return answered;
};

const told = ({ headers }: { readonly headers: Readonly<Record<string, string>> }) =>
  ["retry-after", "ratelimit-policy", "ratelimit"].map((name) => headers[name]);

describe("a rate limit before a route", () => {
  test("tells it where the run fails, too", async () => {
    const busy = new ProblemDetail({ status: 409, code: "BUSY", title: "Busy" });
    const failing = Axon.start("failing").thenFn("fail", () => fault(busy));
    const app = new TestApp(Framework.http().get("/", failing, { guards: [two()] }));

    assert.deepEqual(told(await app.get("/")), [undefined, '"default";q=2;w=1', '"default";r=1;t=1']);
  });

  test("before all that an ingress serves counts what no route serves, too", async () => {
    const app = new TestApp(Framework.http().guard(two()).get("/", hello));

    assert.equal((await app.get("/none")).status, 404);
    assert.deepEqual(told(await app.get("/none")), [undefined, '"default";q=2;w=1', '"default";r=0;t=1']);
    assert.equal((await app.get("/none")).status, 429);
    assert.equal((await app.get("/")).status, 429);
  });

  test("inside another tells of the inner one, and of whichever refuses", async () => {
    const outer = new RateLimitGuard(3, 10_000, { name: "all", now: () => 0 });
    const app = new TestApp(
      Framework.http()
        .guard(outer)
        .get("/", hello, { guards: [two({ name: "one" })] }),
    );

    assert.deepEqual(told(await app.get("/")), [undefined, '"one";q=2;w=1', '"one";r=1;t=1']);
    await app.get("/");
    assert.deepEqual(told(await app.get("/")), ["1", '"one";q=2;w=1', '"one";r=0;t=1']);
    assert.deepEqual(told(await app.get("/")), ["4", '"all";q=3;w=10', '"all";r=0;t=4']);
  });

  test("is left out by its name", async () => {
    const app = new TestApp(
      Framework.http()
        .guard(two({ name: "all" }))
        .get("/", hello, { without: ["all"] }),
    );

    assert.deepEqual(await statuses(app, [{}, {}, {}]), [200, 200, 200]);
  });
});

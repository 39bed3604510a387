import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, fault, guard, header, ProblemDetail, pass, VerifiedIdentity } from "framework";
import { RateLimitHeaders, type RateLimitStore } from "framework/core";
import { TestApp } from "framework/http";
import { MemoryRateLimits, RateLimitGuard, type RateLimitOptions } from "framework/std";

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
  test("admits so many of each client, and tells each answer what is left", async () => {
    const app = limited();

    assert.deepEqual(told(await app.get("/")), [undefined, '"default";q=2;w=1', '"default";r=1;t=1']);
    assert.deepEqual(told(await app.get("/")), [undefined, '"default";q=2;w=1', '"default";r=0;t=1']);
    const refused = await app.get("/");
    assert.deepEqual(told(refused), ["1", '"default";q=2;w=1', '"default";r=0;t=1']);
    assert.deepEqual([refused.status, refused.problem.code], [429, "RATE_LIMITED"]);
    assert.equal((await app.get("/", { peer: "192.0.2.1" })).status, 200);
  });

  test("tells it where the run fails, too", async () => {
    const busy = new ProblemDetail({ status: 409, code: "BUSY", title: "Busy" });
    const failing = Axon.start("failing").thenFn("fail", () => fault(busy));
    const app = new TestApp(Framework.http().get("/", failing, { guards: [two()] }));

    assert.deepEqual(told(await app.get("/")), [undefined, '"default";q=2;w=1', '"default";r=1;t=1']);
  });

  test("counts a client by what is verified, and by nothing that it says", async () => {
    const names = ["x-api-key", "authorization", "cookie", "x-forwarded-for", "forwarded", "x-real-ip"];
    const lies = names.map((name) => ({ headers: { [name]: "198.51.100.7" } }));

    assert.deepEqual(await statuses(limited(), lies), [200, 200, 429, 429, 429, 429]);
  });

  test("counts who is verified apart from all addresses, each by itself", async () => {
    const verified = guard({
      name: "verified",
      reads: [header("x-name")],
      writes: [VerifiedIdentity],
      run: (input, bus) => {
        bus.set(VerifiedIdentity, bus.get(header("x-name")));
        return pass(input);
      },
    });
    const limit = two();
    const app = new TestApp(
      Framework.http()
        .get("/", hello, { guards: [limit] })
        .get("/named", hello, { guards: [verified, limit] }),
    );
    const named = async (name: string, peer: string) =>
      (await app.get("/named", { headers: { "x-name": name }, peer })).status;

    assert.deepEqual(await statuses(app, [{}, {}, {}]), [200, 200, 429]);
    assert.deepEqual(
      [await named("127.0.0.1", "127.0.0.1"), await named("127.0.0.1", "192.0.2.1")],
      [200, 200],
    );
    assert.equal(await named("127.0.0.1", "192.0.2.2"), 429);
    assert.equal(await named("bob", "192.0.2.2"), 200);
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

  test("lets steps read what is left", async () => {
    const left = Axon.start("left").thenFn("tell", (_, bus) => bus.get(RateLimitHeaders), {
      reads: [RateLimitHeaders],
    });
    const axon = Axon.start("guarded").then(two()).subgraph(left);
    const app = new TestApp(Framework.http().get("/", axon));

    assert.deepEqual((await app.get("/")).json, { limit: 2, remaining: 1, resetSeconds: 1 });
  });

  test("by a store that takes time, or fails, answers as the store does", async () => {
    const memory = new MemoryRateLimits();
    const later: RateLimitStore = { take: async (...asked) => memory.take(...asked) };
    const down: RateLimitStore = { take: () => Promise.reject(new Error("secret")) };
    const refusing = await limited([two({ store: down })]).get("/");
    const admitting = await limited([two({ store: down, onStoreFailure: "admit" })]).get("/");

    assert.deepEqual(await statuses(limited([two({ store: later })]), [{}, {}, {}]), [200, 200, 429]);
    assert.deepEqual([refusing.status, refusing.problem.code], [503, "RATE_LIMIT_UNAVAILABLE"]);
    assert.deepEqual(told(refusing), ["1", '"default";q=2;w=1', undefined]);
    assert.ok(!refusing.text.includes("secret"));
    assert.deepEqual(
      [admitting.status, ...told(admitting)],
      [200, undefined, '"default";q=2;w=1', undefined],
    );
  });
});

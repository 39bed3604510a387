// What guards decide behind a proxy that ends TLS, where `trustedProxies` names it and where
// it was forgotten: docs/guards.md has it in a table.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, type Guard } from "framework";
import { TestApp } from "framework/http";
import {
  AccessLogGuard,
  CorsGuard,
  CsrfGuard,
  IpFilterGuard,
  RateLimitGuard,
  RedirectGuard,
  SecurityHeadersGuard,
} from "framework/std";

import { keepLog } from "../../support/logged-ingress.js";

const PROXY = "10.0.0.1";
const hello = Axon.start("hello").thenFn("greet", () => "hello");

/** An ingress behind a proxy, and what a browser's POST from a page of its own comes to. */
function behindProxy(guard: Guard<unknown, never>, trustedProxies: readonly string[]) {
  const ingress = Framework.http({ trustedProxies })
    .guard(guard as never)
    .post("/", hello);
  const { answered } = keepLog(ingress);
  const app = new TestApp(ingress);
  const ask = (client: string) =>
    app.post("/", {
      peer: PROXY,
      headers: {
        host: "own.example",
        origin: "https://own.example",
        cookie: "sid=1",
        "x-forwarded-for": client,
        "x-forwarded-proto": "https",
      },
    });
  return { ask, answered };
}

/** The same with the proxy named, and forgotten. */
async function bothWays<T>(
  make: () => unknown,
  look: (proxied: ReturnType<typeof behindProxy>) => Promise<T>,
): Promise<readonly [named: T, forgotten: T]> {
  const ways = [[PROXY], []].map((proxies) => look(behindProxy(make() as never, proxies)));
  return (await Promise.all(ways)) as [T, T];
}

describe("behind a proxy that is named, and one that was forgotten,", () => {
  test("CorsGuard and CsrfGuard know the server's own pages, and refuse them", async () => {
    const statusOf = async ({ ask }: ReturnType<typeof behindProxy>) => (await ask("192.0.2.1")).status;

    assert.deepEqual(
      await bothWays(() => new CorsGuard({ allowedOrigins: ["https://app.example"] }), statusOf),
      [200, 403],
    );
    assert.deepEqual(await bothWays(() => new CsrfGuard(), statusOf), [200, 403]);
  });

  test("RateLimitGuard counts each client, and all as one", async () => {
    const limit = () => new RateLimitGuard(1, 60_000, { now: () => 0 });

    assert.deepEqual(
      await bothWays(limit, async ({ ask }) => [
        (await ask("192.0.2.1")).status,
        (await ask("192.0.2.2")).status,
      ]),
      [
        [200, 200],
        [200, 429],
      ],
    );
  });

  test("IpFilterGuard goes by the client, and lets everybody in who comes through an allowed proxy", async () => {
    const list = () => IpFilterGuard.allowList(["192.0.2.1", PROXY]);

    assert.deepEqual(
      await bothWays(list, async ({ ask }) => [
        (await ask("192.0.2.1")).status,
        (await ask("203.0.113.9")).status,
      ]),
      [
        [200, 403],
        [200, 200],
      ],
    );
  });

  test("SecurityHeadersGuard sends HSTS, and never", async () => {
    const [named, forgotten] = await bothWays(
      () => new SecurityHeadersGuard(),
      async ({ ask }) => (await ask("192.0.2.1")).headers["strict-transport-security"],
    );

    assert.deepEqual([named, forgotten], ["max-age=31536000; includeSubDomains", undefined]);
  });

  test("RedirectGuard serves what came by https, and sends it round", async () => {
    assert.deepEqual(
      await bothWays(
        () => RedirectGuard.toHttps({ hosts: ["own.example"] }),
        async ({ ask }) => (await ask("192.0.2.1")).headers["location"],
      ),
      [undefined, "https://own.example/"],
    );
  });

  test("AccessLogGuard names the client, and the proxy", async () => {
    const clientOf = async ({ ask, answered }: ReturnType<typeof behindProxy>) => {
      await ask("192.0.2.1");
      return answered()[0]?.["client"];
    };

    assert.deepEqual(await bothWays(() => new AccessLogGuard(), clientOf), ["192.0.2.1", PROXY]);
  });
});

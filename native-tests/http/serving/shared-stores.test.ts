import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Framework, openStores } from "framework";
import { skipWithoutRedis, startRedis } from "../../support/redis-server.js";

const probe = async (url: string, path: string) => {
  const response = await fetch(url + path);
  const { status, checks } = (await response.json()) as {
    readonly status: string;
    readonly checks: readonly { readonly name: string; readonly status: string }[];
  };
  return [response.status, status, ...checks.map((check) => `${check.name} ${check.status}`)];
};

describe("an ingress with a database and Redis", { skip: skipWithoutRedis }, () => {
  test("names a failing Redis in its readiness, and is ready without it unless it must have it", async () => {
    const redis = await startRedis();
    const served = (readyNeedsRedis: boolean) =>
      Framework.http({ processGuards: false, reporter: () => {} })
        .stores(openStores({ sql: "memory:", redis: redis.url }, { readyNeedsRedis }))
        .healthEndpoint("/health")
        .readinessLivenessDefault()
        .bind("127.0.0.1:0")
        .run();
    const [free, bound] = [await served(false), await served(true)];
    await redis.kill();

    assert.deepEqual(await probe(free.url, "/ready"), [200, "ready", "stores ok", "redis error"]);
    assert.deepEqual(await probe(free.url, "/health"), [200, "degraded", "stores ok", "redis error"]);
    assert.deepEqual(await probe(bound.url, "/ready"), [503, "error", "stores ok", "redis error"]);
    await Promise.all([free.close(), bound.close()]);
    await redis.stop();
  });
});

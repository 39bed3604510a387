import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";

import { redisUrl } from "#store/redis/redis-url.js";

const PASSWORD = "s3cr3t-word";

/** The message of a URL that is refused. */
function refusal(url: string, service?: string): string {
  try {
    redisUrl(url, service);
  } catch (error) {
    assert.equal((error as { code?: string }).code, "CONFIG_INVALID");
    return (error as Error).message;
  }
  return assert.fail(`${url} is taken`);
}

describe("a URL of Redis", () => {
  test("names a server, a user and a database", () => {
    const { shown, ...url } = redisUrl(`redis://app:${PASSWORD}%40@127.0.0.1:7000/3`, "shop");

    assert.deepEqual(url, {
      hosts: [{ host: "127.0.0.1", port: 7000 }],
      isCluster: false,
      sentinel: undefined,
      username: "app",
      password: `${PASSWORD}@`,
      db: 3,
      tls: undefined,
      prefix: "shop",
    });
    assert.ok(!shown.includes(PASSWORD), shown);
  });

  test("names several nodes of a cluster, or sentinels and their master", () => {
    const cluster = redisUrl("redis://localhost:7000,[::1]:7001?cluster=true", undefined);
    const sentinels = redisUrl("rediss://a,b:7001/2?sentinel=main", undefined);

    assert.deepEqual(cluster.hosts, [
      { host: "localhost", port: 7000 },
      { host: "::1", port: 7001 },
    ]);
    assert.equal(cluster.isCluster, true);
    assert.deepEqual(sentinels.hosts, [
      { host: "a", port: 26_379 },
      { host: "b", port: 7001 },
    ]);
    assert.deepEqual([sentinels.sentinel, sentinels.db], ["main", 2]);
  });

  test("is encrypted and verified where the server is on another machine, unless it declines that", () => {
    const file = join(tmpdir(), `ca-${process.pid}.pem`);
    writeFileSync(file, "authority");

    assert.deepEqual(redisUrl("rediss://a", "shop").tls, { rejectUnauthorized: true });
    assert.deepEqual(redisUrl(`rediss://a?ca=${file}`, "shop").tls, {
      rejectUnauthorized: true,
      ca: "authority",
    });
    assert.deepEqual(redisUrl("rediss://a?tls=no-verify", "shop").tls, { rejectUnauthorized: false });
    assert.equal(redisUrl("redis://a?tls=off", "shop").tls, undefined);
    assert.match(refusal("redis://a"), /not encrypted .* rediss:\/\/, or tls=off/);
    assert.match(refusal("redis://127.0.0.1,b?cluster=true"), /not encrypted/);
    assert.match(refusal("redis://127.0.0.1?tls=no-verify"), /of rediss/);
    assert.match(refusal("redis://127.0.0.1?ca=file"), /of rediss/);
    assert.match(refusal("rediss://a?tls=off"), /no-verify/);
    assert.match(refusal("rediss://a?tls=no-verify&ca=file"), /no effect/);
    assert.match(refusal("rediss://a?ca=/no/such/file"), /cannot be read/);
  });

  test("is refused, without a word of its password, where it cannot be meant", () => {
    const refused = [
      [`redis://:${PASSWORD}@127.0.0.1,127.0.0.2`, /cluster=true, or sentinel=NAME/],
      [`redis://:${PASSWORD}@127.0.0.1?cluster=yes`, /cluster is true/],
      [`redis://:${PASSWORD}@127.0.0.1?cluster=true&sentinel=a`, /not both/],
      [`redis://:${PASSWORD}@127.0.0.1/1?cluster=true`, /no database but 0/],
      [`redis://:${PASSWORD}@127.0.0.1/orders`, /number of a database/],
      [`redis://:${PASSWORD}@127.0.0.1?tls=off&tls=off`, /given twice/],
      [`redis://:${PASSWORD}@127.0.0.1?prefix=`, /prefix is empty/],
      [`redis://:${PASSWORD}@127.0.0.1?db=${PASSWORD}`, /'db' is no parameter/],
      [`redis://:a/${PASSWORD}@127.0.0.1`, /percent-encode/],
      [`redis://:${PASSWORD}%zz@127.0.0.1`, /percent-encode/],
      [`redis://:${PASSWORD}@127.0.0.1:99999`, /cannot be read/],
      [`http://:${PASSWORD}@127.0.0.1`, /no redis:\/\//],
      [PASSWORD, /no redis:\/\//],
    ] as const;
    for (const [url, words] of refused) {
      const message = refusal(url);

      assert.match(message, words);
      assert.ok(!message.includes(PASSWORD), message);
    }
  });

  test("has keys that begin with the name of the service", () => {
    const prefixOf = (url: string, service?: string): string =>
      redisUrl(`redis://127.0.0.1${url}`, service).prefix;

    assert.equal(prefixOf("", "shop"), "shop");
    assert.equal(prefixOf(""), "framework");
    assert.equal(prefixOf("?prefix=eu:", "shop"), "eu::shop");
    assert.equal(prefixOf("?prefix=eu:shop", "shop"), "eu:shop");
    assert.equal(prefixOf("?prefix=eu", "Der Laden"), "eu");
    assert.match(refusal("redis://127.0.0.1", "Der Laden"), /give the URL a prefix/);
    assert.match(refusal("redis://127.0.0.1?prefix=EU"), /1 to 40 of a-z/);
    assert.match(refusal(`redis://127.0.0.1?prefix=${"a".repeat(41)}`), /1 to 40 of a-z/);
  });
});

// API keys against a server, byte by byte, with rates that are limited by whose they are.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Axon, Framework, type RunningServer } from "framework";
import { IamIdentity, IamPolicy, type RateLimitStore } from "framework/core";
import { ApiKeyGuard, type ApiKeyOptions, MemoryRateLimits, newApiKey, RateLimitGuard } from "framework/std";
import { sealedKey } from "../support/api-keys.js";
import { get, talk } from "../support/wire.js";

const HOUR_MS = 3_600_000;
const PREFIX = "acme";
const NAMES = ["alice", "bob", "carol", "dave"] as const;
type Name = (typeof NAMES)[number];

const made = new Map(NAMES.map((name) => [name, newApiKey({ prefix: PREFIX })]));
const keyOf = (name: Name): string => made.get(name)?.key as string;
const API_KEYS: ApiKeyOptions = {
  prefix: PREFIX,
  keys: [...made].map(([subject, { id, hash }]) => ({ id, hash, subject })),
};

/** A store in memory that tells which buckets were asked for. */
function watched() {
  const memory = new MemoryRateLimits();
  const asked = new Set<string>();
  const store: RateLimitStore = {
    take: (key, ...rest) => {
      asked.add(key.slice(key.lastIndexOf(":", key.indexOf("id:") - 1) + 1));
      return memory.take(key, ...rest);
    },
  };
  return { store, asked, memory };
}

const whoami = Axon.start("whoami").thenFn("say", (_, bus) => bus.find(IamIdentity)?.subject ?? "nobody", {
  mayRead: [IamIdentity],
});

describe("API keys on the wire", () => {
  const required = watched();
  const optional = watched();
  let server: RunningServer;
  before(async () => {
    const five = (store: RateLimitStore) => new RateLimitGuard(5, HOUR_MS, { store });
    server = await Framework.http({ processGuards: false })
      .gracefulShutdown(3000)
      .bind("127.0.0.1:0")
      .get("/required", whoami, { guards: [new ApiKeyGuard(API_KEYS), five(required.store)] })
      .get("/optional", whoami, {
        guards: [new ApiKeyGuard(API_KEYS, { policy: IamPolicy.none() }), five(optional.store)],
      })
      .run();
  });
  after(() => server.close());

  const ask = async (target: string, ...lines: readonly string[]) => {
    const { replies } = await talk(server.address, get(target, ...lines), { until: 1, waitMs: 30_000 });
    assert.ok(replies[0], "an answer");
    return replies[0];
  };
  const withKey = (key: string): string => `X-API-Key: ${key}`;
  const statuses = async (count: number, target: string, keyed: (i: number) => string) =>
    (await Promise.all(Array.from({ length: count }, (_, i) => ask(target, withKey(keyed(i)))))).map(
      ({ status }) => status,
    );
  const countOf = (given: readonly number[], status: number): number =>
    given.filter((one) => one === status).length;
  /** Good in form, and nobody's. */
  const forged = (): string => newApiKey({ prefix: PREFIX }).key;

  test("name the bucket of who has one: many at one address are limited apart", async () => {
    const alices = await statuses(12, "/required", () => keyOf("alice"));

    assert.deepEqual([countOf(alices, 200), countOf(alices, 429)], [5, 7]);
    const { status, body } = await ask("/required", withKey(keyOf("bob")));
    assert.deepEqual([status, body], [200, "bob"]);
  });

  test("name no bucket before they are verified", async () => {
    const before = [...required.asked];
    const size = required.memory.size;
    const hers = keyOf("carol");
    const forgeries = [
      ...Array.from({ length: 40 }, forged),
      // Her own but for the secret, with a checksum that is right.
      ...Array.from({ length: 10 }, (_, i) => sealedKey(hers.slice(0, 20) + String(i).repeat(43))),
      "carol",
      "id:carol",
      made.get("carol")?.id as string,
      hers.slice(0, -1),
    ];
    const answers = await statuses(forgeries.length, "/required", (i) => forgeries[i] as string);

    assert.equal(countOf(answers, 401), forgeries.length);
    assert.deepEqual([[...required.asked], required.memory.size], [before, size]);
    // Nobody has taken anything from her.
    assert.equal(countOf(await statuses(5, "/required", () => hers), 200), 5);
  });

  test("leave who has a forged one to the bucket of the address, however many are forged", async () => {
    const answers = await statuses(20, "/optional", forged);

    assert.deepEqual([countOf(answers, 200), countOf(answers, 429)], [5, 15]);
    assert.equal(optional.memory.size, 1);
    const { status, body } = await ask("/optional", withKey(keyOf("dave")));
    assert.deepEqual([status, body, optional.memory.size], [200, "dave", 2]);
  });

  test("are refused with a challenge where there are two, none, or one that is empty", async () => {
    const two = [withKey(keyOf("dave")), withKey(keyOf("dave"))];
    for (const lines of [two, [], ["X-API-Key:"], [withKey(`${keyOf("dave")} x`)]]) {
      const { status, headers } = await ask("/required", ...lines);
      assert.deepEqual([status, headers["www-authenticate"]], [401, 'ApiKey realm="api"']);
      assert.equal(headers["vary"], "x-api-key");
    }
    assert.equal((await ask("/required", `x-api-key:   ${keyOf("dave")}  `)).status, 200);
  });
});

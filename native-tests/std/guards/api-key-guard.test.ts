import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, FrameworkError } from "framework";
import { IamError, IamIdentity, IamPolicy, type IamVerifier } from "framework/core";
import { TestApp } from "framework/http";
import {
  ApiKeyGuard,
  type ApiKeyGuardOptions,
  type ApiKeyOptions,
  type ApiKeyRecord,
  ApiKeyVerifier,
  cached,
  newApiKey,
} from "framework/std";
import { alteredKey } from "../../support/api-keys.js";

const ALICE = newApiKey({ prefix: "acme" });
const BOB = newApiKey({ prefix: "acme" });
const STRANGER = newApiKey({ prefix: "acme" });
const SECRET_AT = "acme_".length + 14 + 1;

const records: Readonly<Record<string, ApiKeyRecord>> = {
  [ALICE.id]: { hash: ALICE.hash, subject: "alice", roles: ["admin"] },
  [BOB.id]: { hash: BOB.hash, subject: "bob" },
};
const keys = Object.entries(records).map(([id, record]) => ({ id, ...record }));
const LISTED: ApiKeyOptions = { prefix: "acme", keys };

const whoami = Axon.start("whoami").thenFn("say", (_, bus) => bus.find(IamIdentity)?.subject ?? "nobody", {
  mayRead: [IamIdentity],
});

const guarded = (verifier: IamVerifier | ApiKeyOptions = LISTED, options?: ApiKeyGuardOptions) =>
  new TestApp(Framework.http().get("/", whoami, { guards: [new ApiKeyGuard<IamPolicy>(verifier, options)] }));

const sending = (key: string, name = "x-api-key") => ({ headers: { [name]: key } });

const wrong = (key: string): string => alteredKey(key, SECRET_AT, key[SECRET_AT] === "0" ? "1" : "0");

/** Status, code and challenge of a refusal. */
async function refusalOf(app: ReturnType<typeof guarded>, request: object = {}) {
  const { status, problem, headers } = await app.get("/", request);
  return [status, problem.code, headers["www-authenticate"]];
}

const CHALLENGE = 'ApiKey realm="api"';
const INVALID = [401, "TOKEN_INVALID", CHALLENGE];

describe("ApiKeyGuard", () => {
  test("lets in who has a key, and tells the steps whose it is", async () => {
    const verifiers = [LISTED, new ApiKeyVerifier(LISTED), cached(new ApiKeyVerifier(LISTED))];
    for (const verifier of [...verifiers, { prefix: "acme", find: (id: string) => records[id] }]) {
      const app = guarded(verifier);
      assert.equal((await app.get("/", sending(ALICE.key))).text, "alice");
      assert.equal((await app.get("/", sending(BOB.key))).text, "bob");
    }
  });

  test("answers 401 and a challenge to who has none, or one that is not valid", async () => {
    const app = guarded();

    assert.deepEqual(await refusalOf(app), [401, "TOKEN_MISSING", CHALLENGE]);
    for (const key of [
      "x",
      wrong(ALICE.key),
      STRANGER.key,
      ALICE.id,
      ALICE.hash,
      "alice",
      `Bearer ${ALICE.key}`,
      `${ALICE.key}, ${ALICE.key}`,
      `${ALICE.key}, ${BOB.key}`,
    ])
      assert.deepEqual(await refusalOf(app, sending(key)), INVALID, key);
    assert.deepEqual(await refusalOf(app, sending(ALICE.key, "authorization")), [
      401,
      "TOKEN_MISSING",
      CHALLENGE,
    ]);
  });

  test("tells who has ended, or was revoked, no more than that", async () => {
    const ended = { prefix: "acme", find: () => ({ hash: ALICE.hash, subject: "alice", expiresAt: 1 }) };
    const revoked = { prefix: "acme", find: () => ({ hash: ALICE.hash, subject: "alice", revoked: true }) };

    assert.deepEqual(await refusalOf(guarded(ended), sending(ALICE.key)), [401, "TOKEN_EXPIRED", CHALLENGE]);
    const { problem, text } = await guarded(revoked).get("/", sending(ALICE.key));
    assert.equal(problem.code, "TOKEN_INVALID");
    assert.ok(!text.includes("revoked"));
  });

  test("answers 403 without a challenge to who has a key that is not enough", async () => {
    const app = guarded(LISTED, { policy: IamPolicy.requireRole("admin") });

    assert.equal((await app.get("/", sending(ALICE.key))).status, 200);
    assert.deepEqual(await refusalOf(app, sending(BOB.key)), [403, "ROLE_INSUFFICIENT", undefined]);
  });

  test("lets anybody in where the policy does, and believes no bad key", async () => {
    const app = guarded(LISTED, { policy: IamPolicy.none() });

    assert.equal((await app.get("/")).text, "nobody");
    assert.equal((await app.get("/", sending(wrong(ALICE.key)))).text, "nobody");
    assert.equal((await app.get("/", sending(ALICE.key))).text, "alice");
  });

  test("answers 503 where keys cannot be looked up, and after the time that it takes at most", async () => {
    const finds: readonly ((id: string) => unknown)[] = [
      () => {
        throw new Error("down");
      },
      () => Promise.reject(new Error("down")),
      () => ({ subject: "alice" }),
      () => new Promise(() => {}),
    ];
    for (const find of finds) {
      const app = guarded({ prefix: "acme", find: find as () => undefined }, { timeoutMs: 20 });
      const { status, headers } = await app.get("/", sending(ALICE.key));
      assert.deepEqual([status, headers["retry-after"], headers["www-authenticate"]], [503, "1", undefined]);
    }
  });

  test("challenges in its own scheme whatever the verifier, and whenever it answers", async () => {
    for (const verify of [() => IamError.expired(), async () => IamError.expired()])
      assert.deepEqual(await refusalOf(guarded({ verify }), sending("x")), [401, "TOKEN_EXPIRED", CHALLENGE]);
  });

  test("reads another header where it is told to, and keeps caches from mixing up callers", async () => {
    const app = guarded(LISTED, { header: "X-Acme-Key" });

    const { text, headers } = await app.get("/", sending(ALICE.key, "x-acme-key"));
    assert.deepEqual([text, headers["vary"]], ["alice", "x-acme-key"]);
    assert.equal((await app.get("/", sending(ALICE.key))).status, 401);
    assert.equal((await guarded().get("/")).headers["vary"], "x-api-key");
  });

  test("looks nothing up for what is no key", async () => {
    let looked = 0;
    const find = (id: string) => {
      looked += 1;
      return records[id];
    };
    const app = guarded({ prefix: "acme", find });
    for (const key of ["x", `${ALICE.key}0`, ALICE.key.replace("acme", "acmf"), ALICE.key.slice(0, -1)])
      assert.deepEqual(await refusalOf(app, sending(key)), INVALID);
    assert.equal(looked, 0);
    await app.get("/", sending(ALICE.key));
    assert.equal(looked, 1);
  });

  test("is drawn with what it asks for, and without what is kept", () => {
    const drawing = JSON.stringify(Axon.start("drawn").then(new ApiKeyGuard(LISTED)).schematic());

    assert.match(drawing, /API keys acme_\.\.\./);
    assert.ok(!drawing.includes(ALICE.hash));
  });

  test("refuses what it cannot work with when it is made", () => {
    const refused = (verifier: unknown, options?: unknown) =>
      assert.throws(
        () => new ApiKeyGuard(verifier as ApiKeyOptions, options as ApiKeyGuardOptions),
        (error) => error instanceof FrameworkError && error.code === "CONFIG_INVALID",
      );
    refused(undefined);
    refused({ prefix: "acme" });
    refused(LISTED, null);
    refused(LISTED, { token: "x" });
    refused(LISTED, { policy: "admin" });
    refused(LISTED, { timeoutMs: 0 });
    for (const header of ["", "x key", "x:key", 5, "Authorization", "cookie", "proxy-authorization"])
      refused(LISTED, { header });
  });
});

import assert from "node:assert/strict";
import crypto, { createHash } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { describe, mock, test } from "node:test";

import fc from "fast-check";

import { FrameworkError } from "framework";
import { IamError, type IamIdentity, type Verification } from "framework/core";
import { type ApiKeyOptions, type ApiKeyRecord, ApiKeyVerifier, newApiKey } from "framework/std";
import { anyText } from "../../support/any-text.js";
import { alteredKey, sealedKey } from "../../support/api-keys.js";

type Answer = IamIdentity | IamError;

const VERIFICATION: Verification = { signal: new AbortController().signal };

/** Always the same bytes, from the seed on. */
const seeded =
  (seed: number) =>
  (size: number): Uint8Array =>
    Uint8Array.from({ length: size }, (_, i) => (seed * 31 + i * 7 + size) % 256);

const KEY = newApiKey({ prefix: "acme_live", randomBytes: seeded(1) });
const OTHER = newApiKey({ prefix: "acme_live", randomBytes: seeded(2) });
/** Where in a key of that prefix the secret begins. */
const SECRET_AT = "acme_live_".length + 14 + 1;

const record = (more: Partial<ApiKeyRecord> = {}): ApiKeyRecord => ({
  hash: KEY.hash,
  subject: "alice",
  ...more,
});

/** What becomes of a key, with the ids that were looked up. */
function looking(find: (id: string, verification: Verification) => unknown, now = () => 1000) {
  const looked: string[] = [];
  const verifier = new ApiKeyVerifier({
    prefix: "acme_live",
    now,
    find: (id, verification) => {
      looked.push(id);
      return find(id, verification) as ApiKeyRecord;
    },
  });
  return { looked, ask: (key: string) => verifier.verify(key, VERIFICATION) };
}

const known = (more?: Partial<ApiKeyRecord>, now?: () => number) =>
  looking((id) => (id === KEY.id ? record(more) : undefined), now);

/** The same keys in a list. */
function listed(more?: Partial<ApiKeyRecord>, now = () => 1000) {
  const verifier = new ApiKeyVerifier({ prefix: "acme_live", now, keys: [{ id: KEY.id, ...record(more) }] });
  return { ask: (key: string) => verifier.verify(key, VERIFICATION) };
}

const kindOf = (answer: unknown): string | undefined =>
  answer instanceof IamError ? answer.kind : undefined;

const refusesOptions = (options: unknown, message = /./) =>
  assert.throws(
    () => new ApiKeyVerifier(options as ApiKeyOptions),
    (error) =>
      error instanceof FrameworkError && error.code === "CONFIG_INVALID" && message.test(error.message),
  );

describe("newApiKey", () => {
  test("makes keys of a prefix, an id and 256 random bits, and says what to keep of them", () => {
    const drawn: number[] = [];
    const { key, id, hash } = newApiKey({
      prefix: "acme",
      randomBytes: (size) => {
        drawn.push(size);
        return crypto.randomBytes(size);
      },
    });

    assert.deepEqual(drawn, [10, 32]);
    assert.match(key, new RegExp(`^acme_${id}_[0-9A-Za-z]{49}$`));
    assert.match(id, /^[0-9A-Za-z]{14}$/);
    assert.equal(hash, createHash("sha256").update(key).digest("hex"));
    assert.equal(key, sealedKey(key.slice(0, -6)));
  });

  test("holds all bits that it has drawn: no two draws are one key", () => {
    const filled = (byte: number) =>
      newApiKey({ prefix: "a", randomBytes: (size) => new Uint8Array(size).fill(byte) }).key.slice(0, -6);
    assert.equal(filled(0), `a_${"0".repeat(14)}_${"0".repeat(43)}`);
    // 2^80 - 1 and 2^256 - 1 in base 62, the highest digit in front.
    const numberOf = (digits: string): bigint =>
      [...digits].reduce(
        (sum, digit) =>
          sum * 62n + BigInt("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".indexOf(digit)),
        0n,
      );
    const [, id = "", secret = ""] = filled(255).split("_");
    assert.equal(numberOf(id), 2n ** 80n - 1n);
    assert.equal(numberOf(secret), 2n ** 256n - 1n);

    const keys = new Set(Array.from({ length: 1000 }, () => newApiKey({ prefix: "a" }).key));
    assert.equal(keys.size, 1000);
  });

  test("refuses prefixes that could be read in two ways, and randomness that is none", () => {
    for (const prefix of [
      "",
      "Acme",
      "1acme",
      "acme_",
      "_acme",
      "a__b",
      "a-b",
      "a.b",
      "x".repeat(33),
      "ä",
      5,
    ])
      assert.throws(() => newApiKey({ prefix: prefix as string }), FrameworkError, String(prefix));
    for (const randomBytes of [() => new Uint8Array(5), () => "x".repeat(10) as any, 5 as any])
      assert.throws(() => newApiKey({ prefix: "acme", randomBytes }), FrameworkError);
    assert.throws(() => newApiKey({ prefix: "acme", bits: 512 } as any), FrameworkError);
    assert.throws(() => newApiKey(undefined as any), FrameworkError);
  });
});

describe("ApiKeyVerifier", () => {
  test("says whose a key is, by a function that looks it up or by a list", () => {
    const all = { issuer: "acme", roles: ["reader"], claims: { plan: "free" }, expiresAt: 2000 };
    const expected = { subject: "alice", ...all };

    for (const { ask } of [known(all), listed(all)]) {
      const found = ask(KEY.key) as IamIdentity;
      assert.deepEqual({ ...found, claims: { ...found.claims } }, expected);
    }
    assert.deepEqual(
      { ...(listed().ask(KEY.key) as IamIdentity) },
      { subject: "alice", roles: [], claims: {} },
    );
  });

  test("accepts each key that newApiKey makes, and that key alone", () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9]{0,4}$/);
    const prefixes = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join("_"));
    const bytes = (size: number) => fc.uint8Array({ minLength: size, maxLength: size });
    fc.assert(
      fc.property(prefixes, bytes(10), bytes(32), bytes(32), (prefix, idBytes, secret, another) => {
        fc.pre(Buffer.compare(secret, another) !== 0);
        const made = (of: Uint8Array) =>
          newApiKey({ prefix, randomBytes: (size) => (size === 10 ? idBytes : of) });
        const mine = made(secret);
        const verifier = new ApiKeyVerifier({
          prefix,
          keys: [{ id: mine.id, hash: mine.hash, subject: "alice" }],
        });

        assert.equal((verifier.verify(mine.key, VERIFICATION) as IamIdentity).subject, "alice");
        assert.equal(kindOf(verifier.verify(made(another).key, VERIFICATION)), "InvalidToken");
      }),
    );
  });

  test("refuses a key in which anything was changed, without looking it up", () => {
    const { ask, looked } = known();
    const at = fc.integer({ min: 0, max: KEY.key.length - 1 });
    const refused = (key: string) => {
      fc.pre(key !== KEY.key);
      assert.equal(kindOf(ask(key)), "InvalidToken");
      assert.deepEqual(looked, []);
    };
    const replaced = (place: number, by: string, length = 1) =>
      KEY.key.slice(0, place) + by + KEY.key.slice(place + length);
    const character = fc.oneof(
      fc.constantFrom(..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"),
      anyText({ minLength: 1, maxLength: 1 }),
    );
    fc.assert(
      fc.property(at, character, (place, by) => refused(replaced(place, by))),
      { numRuns: 300 },
    );
    for (let place = 0; place < KEY.key.length; place += 1) {
      refused(replaced(place, ""));
      refused(replaced(place, "0", 0));
      const [one = "", two = ""] = KEY.key.slice(place, place + 2);
      if (two !== "" && one !== two) refused(replaced(place, two + one, 2));
    }
    for (const key of ["", KEY.key.repeat(2), ` ${KEY.key}`, `${KEY.key}\n`, KEY.key.toUpperCase(), KEY.id])
      refused(key);
    assert.equal((ask(KEY.key) as IamIdentity).subject, "alice");
  });

  test("refuses another secret, id or prefix whose checksum is right", () => {
    const { ask, looked } = known();
    const digit = fc.constantFrom(..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    const at = fc.integer({ min: "acme_live_".length, max: KEY.key.length - 7 });
    fc.assert(
      fc.property(at, digit, (place, by) => {
        fc.pre(KEY.key[place] !== by && place !== SECRET_AT - 1);
        looked.length = 0;
        assert.equal(kindOf(ask(alteredKey(KEY.key, place, by))), "InvalidToken");
        assert.equal(looked.length, 1, "it is looked up: its form is good");
      }),
    );
    looked.length = 0;
    assert.equal(kindOf(ask(sealedKey(`acme_test_${KEY.key.slice(10, -6)}`))), "InvalidToken");
    assert.deepEqual(looked, []);
  });

  test("opens nothing with a hash that was moved to another id", () => {
    const { ask } = looking(() => record());

    assert.equal((ask(KEY.key) as IamIdentity).subject, "alice");
    const moved = sealedKey(`acme_live_${OTHER.id}_${KEY.key.slice(SECRET_AT, -6)}`);
    assert.equal(kindOf(ask(moved)), "InvalidToken");
  });

  test("does the same work for an id that nobody has as for a wrong secret", () => {
    const compared = mock.method(crypto, "timingSafeEqual");
    const hashed = mock.method(crypto, "hash");
    syncBuiltinESMExports();
    try {
      const wrong = alteredKey(KEY.key, SECRET_AT, KEY.key[SECRET_AT] === "0" ? "1" : "0");
      for (const { ask } of [known(), listed(), known({ revoked: true }), known({ expiresAt: 1 })])
        for (const key of [wrong, OTHER.key, KEY.key]) {
          compared.mock.resetCalls();
          hashed.mock.resetCalls();
          ask(key);

          assert.deepEqual(
            hashed.mock.calls.map((call) => call.arguments[1]),
            [key],
          );
          const lengths = compared.mock.calls.map((call) => call.arguments.map((given: any) => given.length));
          assert.deepEqual(lengths, [[64, 64]]);
        }
    } finally {
      mock.restoreAll();
      syncBuiltinESMExports();
    }
  });

  test("tells of a revoked or ended key only who has it whole", () => {
    const wrong = alteredKey(KEY.key, SECRET_AT, KEY.key[SECRET_AT] === "0" ? "1" : "0");
    const unknown = known().ask(OTHER.key);
    for (const made of [known, listed]) {
      const revoked = made({ revoked: true });
      assert.equal((revoked.ask(KEY.key) as IamError).reason, "The API key was revoked");
      const clock = { ms: 1999 };
      const ending = made({ expiresAt: 2000 }, () => clock.ms);
      assert.equal(kindOf(ending.ask(KEY.key)), undefined);
      clock.ms = 2000;
      assert.equal(kindOf(ending.ask(KEY.key)), "Expired");
      clock.ms = Number.NaN;
      assert.equal(kindOf(ending.ask(KEY.key)), "Expired");
      assert.equal(kindOf(made({ revoked: true, expiresAt: 1 }).ask(KEY.key)), "InvalidToken");
      for (const { ask } of [revoked, ending]) assert.equal(ask(wrong), unknown);
    }
  });

  test("hands the signal on, and waits for a function that takes its time", async () => {
    let given: unknown;
    const { ask, looked } = looking(async (id, verification) => {
      given = verification.signal;
      return id === KEY.id ? record() : null;
    });

    assert.equal(((await ask(KEY.key)) as IamIdentity).subject, "alice");
    assert.equal(kindOf(await ask(OTHER.key)), "InvalidToken");
    assert.deepEqual(looked, [KEY.id, OTHER.id]);
    assert.equal(given, VERIFICATION.signal);
  });

  test("says that it cannot verify where the look-up fails or answers nonsense", async () => {
    const down = new Error("down");
    const failing = [
      () => {
        throw down;
      },
      () => Promise.reject(down),
    ];
    for (const find of failing) {
      const answer = (await looking(find).ask(KEY.key)) as IamError;
      assert.deepEqual([answer.kind, answer.cause], ["VerifierUnavailable", down]);
    }
    const nonsense: readonly unknown[] = [
      true,
      "alice",
      [],
      {},
      record({ hash: undefined as any }),
      record({ hash: KEY.hash.toUpperCase() }),
      record({ hash: KEY.hash.slice(1) }),
      record({ hash: KEY.key }),
      record({ subject: "" }),
      record({ subject: 5 as any }),
      record({ roles: "admin" as any }),
      record({ roles: [1] as any }),
      record({ claims: "x" as any }),
      record({ issuer: 1 as any }),
      record({ expiresAt: "2030-01-01" as any }),
      record({ expiresAt: Number.NaN }),
      record({ expiresAt: null as any }),
      record({ revoked: "false" as any }),
      record({ revoked: null as any }),
      record({ revoked: 1 as any }),
    ];
    for (const answer of nonsense)
      for (const find of [() => answer, async () => answer]) {
        const refusal = (await looking(find).ask(KEY.key)) as IamError;
        assert.equal(refusal.kind, "VerifierUnavailable", JSON.stringify(answer));
        assert.ok(!String(refusal.cause).includes(KEY.key));
      }
  });

  test("is not changed by who changes the list, or what it has found", () => {
    const roles = ["reader"];
    const claims = { teams: ["a"] };
    const entry = { id: KEY.id, ...record({ roles, claims }) };
    const verifier = new ApiKeyVerifier({ prefix: "acme_live", keys: [entry] });
    roles.push("admin");
    claims.teams.push("b");
    Object.assign(entry, { subject: "root", hash: OTHER.hash });
    const found = verifier.verify(KEY.key, VERIFICATION) as any;

    assert.deepEqual([found.subject, found.roles, found.claims.teams], ["alice", ["reader"], ["a"]]);
    assert.throws(() => found.roles.push("admin"), TypeError);
    assert.throws(() => found.claims.teams.push("b"), TypeError);
  });

  test("is drawn with its prefix", () => {
    assert.equal(new ApiKeyVerifier({ prefix: "acme_live", keys: [] }).description, "API keys acme_live_...");
  });

  test("refuses what it cannot work with when it is made, and quotes no key", () => {
    const find = (): undefined => undefined;
    const entry = { id: KEY.id, ...record() };
    const keys = (...list: unknown[]) => ({ prefix: "acme_live", keys: list });
    refusesOptions(undefined);
    refusesOptions({ prefix: "acme" }, /either keys.* or find/);
    refusesOptions({ prefix: "acme", keys: [], find }, /either keys.* or find/);
    refusesOptions({ prefix: "acme", find: 5 }, /find must be a function/);
    refusesOptions({ prefix: "acme", find, now: 5 }, /now must be a function/);
    refusesOptions({ prefix: "ACME", find }, /prefix must be/);
    refusesOptions({ find }, /prefix must be/);
    refusesOptions({ prefix: "acme", find, cache: true }, /'cache' .*; there are /);
    refusesOptions({ prefix: "acme", keys: { a: entry } }, /keys must be a list/);
    refusesOptions(keys(undefined), /keys\[0\]: its id/);
    refusesOptions(keys({ ...entry, id: KEY.key }), /keys\[0\]: its id is not/);
    refusesOptions(keys(entry, entry), /keys\[1\]: its id \w{14} is another one's too/);
    refusesOptions(keys({ ...entry, role: "admin" }), /'role' .*; there are /);
    const { message } = (() => {
      try {
        return new ApiKeyVerifier(keys({ ...entry, hash: KEY.key }) as any) as never;
      } catch (error) {
        return error as Error;
      }
    })();
    assert.match(message, /hash is not 64/);
    assert.ok(!message.includes(KEY.key));
  });

  test("needs no checksum of its own to hold: it is that of any CRC-32", () => {
    const answer: Answer | Promise<Answer> = listed().ask(sealedKey(KEY.key.slice(0, -6)));

    assert.equal((answer as IamIdentity).subject, "alice");
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { DataKeys } from "#compliance/encryption/data-keys.js";
import { EncryptionHook, type EncryptionOptions } from "#compliance/encryption/encryption-hook.js";
import type { MasterKeys } from "#compliance/encryption/master-keys.js";
import type { Place } from "#core/ports/codec.js";

const TEXT = '{"diagnosis":"migraine"}';
const place: Place = { table: "letter", field: "letter", row: "L1" };
const keyOf = (byte: number) => new Uint8Array(32).fill(byte);
const DAY_MS = 86_400_000;

/** The first id is the current one. */
const given = (...ids: readonly (readonly [string, number])[]): MasterKeys => ({
  current: ids[0]?.[0] as string,
  keys: Object.fromEntries(ids.map(([id, byte]) => [id, keyOf(byte)])),
});

async function opened(keys: EncryptionOptions["keys"], options: Partial<EncryptionOptions> = {}) {
  const hook = new EncryptionHook({ keys, ...options });
  await hook.open();
  return hook;
}

/** What a decoding fails with, of which no part is the text, the key or what is kept. */
async function refusal(
  decode: () => unknown,
  kept = "",
): Promise<{ readonly code: string; readonly message: string }> {
  try {
    await decode();
  } catch (error) {
    const { code, message, stack = "" } = error as Error & { code: string };
    for (const secret of ["migraine", kept.slice(10, 30), Buffer.from(keyOf(1)).toString("base64")])
      assert.ok(secret === "" || !stack.includes(secret), `no part of a text: ${stack}`);
    return { code, message };
  }
  throw new assert.AssertionError({ message: "it was decoded" });
}

describe("EncryptionHook", () => {
  test("gives back what it encrypted, of any length, at another day and in another process", async () => {
    let now = 20_000 * DAY_MS;
    const one = await opened(() => given(["a", 1]), { now: () => now });
    const other = await opened(() => given(["b", 2], ["a", 1]));
    for (const text of ["", "x", TEXT, "\u{1F600}\0é".repeat(3000)]) {
      const { text: kept, keyId } = one.encode(text, place);
      now += DAY_MS;

      assert.match(kept, /^2000\d\.[A-Za-z0-9+/]+={0,2}$/);
      assert.equal(keyId, "a");
      assert.equal(await one.decode(kept, keyId, place), text);
      assert.equal(await other.decode(kept, keyId, place), text);
    }
    assert.notEqual(one.encode(TEXT, place).text, one.encode(TEXT, place).text);
  });

  test("decrypts no text of which one character differs, or that is longer or shorter", async () => {
    const hook = await opened(() => given(["a", 1]));
    const { text: kept } = hook.encode(TEXT, place);
    const flipped = (character: string) =>
      character === "A" ? "B" : character === "1" ? "2" : character === "2" ? "1" : "A";
    const changed = [...kept].map(
      (character, at) => kept.slice(0, at) + flipped(character) + kept.slice(at + 1),
    );
    const others = [
      `0${kept}`,
      `${kept}A`,
      `${kept}=`,
      ` ${kept}`,
      kept.slice(0, -4),
      kept.replace(/\..*/, "."),
      "",
      "1.AAAA",
      kept.slice(1),
    ];
    for (const text of [...changed, ...others]) {
      const { code, message } = await refusal(() => hook.decode(text, "a", place), kept);

      // EH2: table and row are named, nothing else is.
      assert.equal(code, "ENCRYPTED_TEXT_INVALID", text);
      assert.match(message, /^table letter, letter of "L1": it was changed or moved/);
    }
  });

  test("decrypts no text whose unused bits in base64 differ", async () => {
    const hook = await opened(() => given(["a", 1]));
    const { text: kept } = hook.encode("xx", place);
    assert.match(kept, /[A-Za-z0-9+/]=?$/);
    for (const last of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
      const at = kept.search(/=*$/) - 1;
      const text = kept.slice(0, at) + last + kept.slice(at + 1);
      if (text !== kept) await assert.rejects(async () => hook.decode(text, "a", place), last);
    }
  });

  test("decrypts no text that was moved to another row, field or table, or is said to be of another key", async () => {
    const hook = await opened(() => given(["a", 1], ["b", 1]));
    const { text } = hook.encode(TEXT, place);
    // EH1: place and key id are authenticated, and the key itself is of the table.
    for (const of of [{ row: "L2" }, { field: "answer" }, { table: "run" }])
      assert.equal(
        (await refusal(() => hook.decode(text, "a", { ...place, ...of }))).code,
        "ENCRYPTED_TEXT_INVALID",
      );
    assert.equal((await refusal(() => hook.decode(text, "b", place))).code, "ENCRYPTED_TEXT_INVALID");
    const another = await opened(() => given(["a", 9]));
    assert.equal((await refusal(() => another.decode(text, "a", place))).code, "ENCRYPTED_TEXT_INVALID");
  });

  test("reads plain rows until they are refused, and never a text that lost its key id", async () => {
    const reads = await opened(() => given(["a", 1]));
    const refuses = await opened(() => given(["a", 1]), { plainRows: "refuse" });

    assert.equal(await reads.decode(TEXT, null, place), TEXT);
    assert.match((await refusal(() => refuses.decode(TEXT, null, place))).message, /plainRows is "refuse"/);
    const { text } = reads.encode("", place);
    assert.equal((await refusal(() => reads.decode(text, null, place))).code, "ENCRYPTED_TEXT_INVALID");
    assert.throws(
      () => new EncryptionHook({ keys: () => given(["a", 1]), plainRows: "refused" as "refuse" }),
      {
        code: "CONFIG_INVALID",
      },
    );
    assert.throws(() => new EncryptionHook({ keys: given(["a", 1]) as never }), { code: "CONFIG_INVALID" });
  });

  test("asks once for a key that it does not know, for all that wait, and again after a second", async () => {
    let [now, asked] = [DAY_MS, 0];
    let keys = given(["a", 1]);
    const hook = await opened(
      async () => {
        asked += 1;
        return keys;
      },
      { now: () => now },
    );
    const { text } = (await opened(() => given(["b", 2]))).encode(TEXT, place);
    const decoded = () => hook.decode(text, "b", place);
    const results = await Promise.all([refusal(decoded), refusal(decoded), refusal(decoded)]);
    keys = given(["a", 1], ["b", 2]);
    now += 999;
    const soon = await refusal(decoded);
    const before = asked;
    now += 1;

    // EH3: one question for the three, none within the second.
    assert.deepEqual(
      [before, new Set([...results, soon].map(({ code }) => code))],
      [2, new Set(["ENCRYPTION_KEY_UNKNOWN"])],
    );
    assert.match(
      soon.message,
      /table letter, letter of "L1": encrypted under key 'b': the provider has no such key/,
    );
    assert.deepEqual(await Promise.all([decoded(), decoded()]), [TEXT, TEXT]);
    assert.equal(asked, 3);
    // A clock that was set back by an hour.
    now -= 3_600_000;
    await refusal(() => hook.decode(text, "c", place));
    assert.equal(asked, 4);
  });

  test("goes on with known keys while the provider is away or gives another key of the same id", async () => {
    let keys: () => MasterKeys = () => given(["a", 1]);
    const hook = await opened(() => keys());
    const { text, keyId } = hook.encode(TEXT, place);
    keys = () => {
      throw new Error("connection refused");
    };
    await assert.rejects(hook.reload(), { code: "ENCRYPTION_KEYS_INVALID" });
    const { code, message } = await refusal(() => hook.decode(text, "b", place));

    assert.deepEqual([code, /failed: see the cause/.test(message)], ["ENCRYPTION_KEY_UNKNOWN", true]);
    keys = () => given(["a", 2]);
    await assert.rejects(hook.reload(), { message: /a key changed under its id/ });
    assert.equal(await hook.decode(text, keyId, place), TEXT);
    assert.equal(await hook.decode(hook.encode(TEXT, place).text, "a", place), TEXT);
  });

  test("notices that a provider changed the bytes of a key that it gave", async () => {
    const keys = given(["a", 1]);
    const hook = await opened(() => keys);
    const { text, keyId } = hook.encode(TEXT, place);
    keys.keys["a"]?.fill(7);

    assert.equal(await hook.decode(text, keyId, place), TEXT);
    await assert.rejects(hook.reload(), { message: /a key changed under its id/ });
  });

  test("does not open while its provider is away, and does once it is back", async () => {
    let isAway = true;
    const hook = new EncryptionHook({
      keys: async () => {
        if (isAway) throw new Error("connection refused");
        return given(["a", 1]);
      },
    });
    assert.throws(() => hook.encode(TEXT, place), { code: "ENCRYPTION_KEY_UNKNOWN" });
    await assert.rejects(hook.open(), {
      code: "ENCRYPTION_KEYS_INVALID",
      message: /provider of master keys: it failed/,
    });
    isAway = false;
    await hook.open();

    assert.equal(await hook.decode(hook.encode(TEXT, place).text, "a", place), TEXT);
  });

  test("encrypts under the current key after a reload", async () => {
    let keys = given(["a", 1]);
    const hook = await opened(() => keys);
    keys = given(["b", 2], ["a", 1]);
    await hook.reload();

    assert.equal(hook.encode(TEXT, place).keyId, "b");
    assert.deepEqual([hook.keys.current, hook.keys.ids], ["b", ["b", "a"]]);
  });

  test("has one form of a subject under each key, of which the hash is read again", async () => {
    const hook = await opened(() => given(["b", 2], ["a", 1]));
    const old = (await opened(() => given(["a", 1]))).keys.subject("hash-of-ann");
    const { keys } = hook;

    assert.deepEqual(keys.subjects("hash-of-ann"), ["hash-of-ann", keys.subject("hash-of-ann"), old]);
    assert.equal(keys.subject("hash-of-ann"), keys.subject("hash-of-ann"));
    for (const kept of keys.subjects("hash-of-ann")) assert.equal(await keys.hashOf(kept), "hash-of-ann");
    const { code } = await refusal(() => keys.hashOf(`${old.slice(0, -1)}${old.endsWith("A") ? "B" : "A"}`));
    assert.equal(code, "ENCRYPTED_TEXT_INVALID");
    assert.equal(
      (await refusal(() => keys.hashOf(old.replace(":a:", ":b:")))).code,
      "ENCRYPTED_TEXT_INVALID",
    );
    assert.equal(
      (await refusal(() => keys.hashOf(old.replace(":a:", ":c:")))).code,
      "ENCRYPTION_KEY_UNKNOWN",
    );
  });
});

describe("DataKeys", () => {
  test("differ by master key, key id, table and day", () => {
    const keys = new DataKeys();
    const made = [
      keys.forEncryption(keyOf(1), "a", "run", 1),
      keys.forEncryption(keyOf(2), "b", "run", 1),
      keys.forEncryption(keyOf(1), "c", "run", 1),
      keys.forEncryption(keyOf(1), "a", "letter", 1),
      keys.forEncryption(keyOf(1), "a", "run", 2),
    ];

    assert.equal(new Set(made.map((key) => key.toString("hex"))).size, 5);
    assert.deepEqual(keys.forDecryption(keyOf(1), "a", "run", 1), made[0]);
  });

  test("refuse to encrypt more texts than a nonce bears, and count through a walk over old days", () => {
    const keys = new DataKeys(3);
    const encrypt = () => keys.forEncryption(keyOf(1), "a", "run", 0);
    encrypt();
    for (let day = 1; day < 4096; day += 1) keys.forDecryption(keyOf(1), "a", "run", day);
    encrypt();
    for (let day = 5000; day < 9000; day += 1) keys.forDecryption(keyOf(1), "a", "run", day);
    encrypt();

    assert.throws(encrypt, { code: "ENCRYPTION_KEY_EXHAUSTED", message: /key 'a' .* table 'run' today/ });
    keys.forEncryption(keyOf(1), "a", "run", 9000);
    keys.forDecryption(keyOf(1), "a", "run", 0);
  });
});

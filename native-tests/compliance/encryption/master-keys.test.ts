import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import {
  keysAt,
  keysInEnvironment,
  keysInFile,
  requireMasterKeys,
} from "#compliance/encryption/master-keys.js";

const folder = mkdtempSync(join(tmpdir(), "keys-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const base64 = (byte: number, bytes = 32) => Buffer.alloc(bytes, byte).toString("base64");
let files = 0;
function fileWith(text: string, mode = 0o600): string {
  const file = join(folder, `${++files}.keys`);
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}
const refused = (why: RegExp) => (error: Error & { readonly code?: string }) => {
  assert.equal(error.code, "ENCRYPTION_KEYS_INVALID");
  assert.match(error.message, why);
  assert.ok(!`${error.message} ${error.cause}`.includes(base64(1).slice(0, 12)), "no part of a key");
  return true;
};

describe("Master keys", () => {
  test("are read from a file of their owner, the first as the current one", async () => {
    const file = fileWith(
      `# of 2026\n2026 ${base64(1)}\r\n\n2025\t${base64(2).replace("=", "")}\n__proto__ ${base64(3)}\n`,
    );
    const { current, keys } = await keysAt(file)();

    assert.deepEqual([current, Object.keys(keys)], ["2026", ["2025", "2026", "__proto__"]]);
    assert.deepEqual(
      Object.values(keys).map((key) => key[0]),
      [2, 1, 3],
    );
  });

  test("are refused in a file that other users may read or write", () => {
    for (const mode of [0o640, 0o604, 0o602, 0o610])
      assert.throws(
        keysInFile(fileWith(`a ${base64(1)}`, mode)),
        refused(/other users may read it \(mode 6.*chmod 600/),
      );
    for (const mode of [0o600, 0o400]) assert.doesNotThrow(keysInFile(fileWith(`a ${base64(1)}`, mode)));
  });

  test("are refused where a line is malformed, a key too short or too long, or an id there twice", () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ["", /it has no key/],
      ["# a\n", /it has no key/],
      [`a ${base64(1, 31)}`, /line 1 is not an id/],
      [`a ${base64(1, 33)}`, /line 1 is not an id/],
      [`a ${base64(1)}\nb ${base64(1)} c`, /line 2 is not an id/],
      [base64(1), /line 1 is not an id/],
      [`${"a".repeat(65)} ${base64(1)}`, /line 1 is not an id/],
      [`a ${base64(1)}\na ${base64(2)}`, /line 2 has the id 'a' a second time/],
    ];
    for (const [text, why] of cases) assert.throws(keysInFile(fileWith(text)), refused(why), text);
    assert.throws(keysInFile(join(folder, "none")), refused(/it cannot be read/));
    assert.throws(keysInFile(folder), refused(/it cannot be read/));
  });

  test("are read from an environment variable", async () => {
    process.env["TEST_MASTER_KEYS"] = `a ${base64(1)}`;
    const { current } = await keysAt("env:TEST_MASTER_KEYS")();
    delete process.env["TEST_MASTER_KEYS"];

    assert.equal(current, "a");
    assert.throws(
      keysInEnvironment("TEST_MASTER_KEYS"),
      refused(/TEST_MASTER_KEYS: the environment variable is not set/),
    );
  });

  test("of a provider are checked", () => {
    const key = new Uint8Array(32);
    const given: readonly (readonly [unknown, RegExp])[] = [
      [undefined, /it gave no/],
      [{ current: "a" }, /it gave no/],
      [{ current: "b", keys: { a: key } }, /the current key is not among the keys/],
      [{ current: "toString", keys: { a: key } }, /the current key is not among the keys/],
      [{ current: "a", keys: { a: key.subarray(1) } }, /key 'a' has not 32 bytes/],
      [{ current: "a", keys: { a: base64(1) } }, /key 'a' has not 32 bytes/],
      [{ current: "a", keys: { a: key, "b c": key } }, /an id of a key has/],
    ];
    for (const [keys, why] of given)
      assert.throws(() => requireMasterKeys(keys as never, "It"), refused(why));
  });
});

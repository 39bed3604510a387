import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { SelectableFile } from "#http/static/file-answers.js";
import { FileCache, FileEntry } from "#http/static/file-cache.js";

const entry = (bytes: number): FileEntry => {
  const file = { variant: { bytes: { length: bytes } } } as unknown as SelectableFile;
  return new FileEntry(new Map([["identity", file]]), 0);
};

describe("the files that are kept in memory", () => {
  test("are as many as may be, and no more bytes", () => {
    const cache = new FileCache({ maxFiles: 2, maxBytes: 10_000 });
    for (const path of ["a", "b", "c"]) cache.set(path, entry(10));

    assert.equal(cache.size, 2);
    cache.set("d", entry(8000));
    assert.equal(cache.size, 1, "each counts for 1 KiB beside its bytes");
    cache.set("e", entry(9000));
    assert.equal(cache.get("e"), undefined, "it would have no place for itself");
  });

  test("are those that are asked for", () => {
    const cache = new FileCache({ maxFiles: 3, maxBytes: 100_000 });
    for (const path of ["a", "b", "c"]) cache.set(path, entry(10));
    cache.set("d", entry(10));
    cache.get("c");
    cache.set("e", entry(10));

    assert.ok(cache.get("c") !== undefined);
    assert.equal(cache.get("b"), undefined);
  });

  test("keep within their bounds whatever happens, and count what they have", () => {
    const change = fc.record({
      path: fc.constantFrom("a", "b", "c", "d", "e"),
      how: fc.constantFrom("get", "set", "delete"),
      bytes: fc.nat(6000),
    });
    fc.assert(
      fc.property(fc.nat(4), fc.nat(12_000), fc.array(change), (maxFiles, maxBytes, changes) => {
        const cache = new FileCache({ maxFiles, maxBytes });
        const all = new Map<string, FileEntry>();
        for (const { path, how, bytes } of changes) {
          if (how === "set") {
            const made = entry(bytes);
            all.set(path, made);
            cache.set(path, made);
          } else if (how === "delete") {
            all.delete(path);
            cache.delete(path);
          } else {
            const found = cache.get(path);
            assert.ok(found === undefined || found === all.get(path), "never one that was replaced");
          }
          assert.ok(cache.size <= maxFiles && cache.bytes <= maxBytes);
        }
        for (const path of all.keys()) cache.delete(path);
        assert.deepEqual([cache.size, cache.bytes], [0, 0]);
      }),
    );
  });
});

import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import { keptToken } from "#inspector/door/kept-token.js";
import { folderWith } from "../../support/config-folder.js";

/** A folder that does not exist yet. */
const place = (): string => join(folderWith(), ".framework");
const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe("the token of a development server", () => {
  test("is the same each time, in a file for its owner only, which git ignores", () => {
    const folder = place();
    const token = keptToken(folder);
    const file = join(folder, "inspector-token");

    assert.match(token, /^[\w-]{32}$/);
    assert.equal(keptToken(folder), token);
    assert.deepEqual([modeOf(folder), modeOf(file)], [0o700, 0o600]);
    assert.equal(readFileSync(join(folder, ".gitignore"), "utf8"), "*\n");
  });

  test("is a new one where others could read the file, or where it holds no token", () => {
    const folder = place();
    const file = join(folder, "inspector-token");
    const first = keptToken(folder);
    chmodSync(file, 0o644);
    const second = keptToken(folder);
    assert.notEqual(second, first);
    assert.equal(modeOf(file), 0o600);

    writeFileSync(file, "short\n");
    const third = keptToken(folder);
    assert.notEqual(third, "short");
    assert.equal(keptToken(folder), third);
  });

  test("is a new one each time where nothing can be written", () => {
    const folder = join(folderWith({ file: "" }), "file", "below");

    assert.notEqual(keptToken(folder), keptToken(folder));
    assert.equal(existsSync(folder), false);
  });
});

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { ArrivingOnDisk } from "#http/input/multipart/disk-file.js";

describe("a file on its way to the disk", () => {
  const home = mkdtempSync(join(tmpdir(), "framework-test-disk-"));
  after(() => rmSync(home, { recursive: true }));
  const head = { name: "f", filename: "x", sentType: "", type: undefined };
  const arriving = () => {
    const file = new ArrivingOnDisk(head, home);
    file.add(Buffer.alloc(1_000_000));
    return file;
  };

  test("leaves nothing where its run ends while it is opened or written", async () => {
    for (const whole of [true, false]) {
      const file = arriving();
      const stored = file.stored(whole);
      file.discard();
      await stored;
      assert.deepEqual(readdirSync(home), []);
    }
    for (let turns = 0; turns < 20; turns += 1) {
      const file = arriving();
      const stored = file.stored(true);
      for (let i = 0; i < turns; i += 1) await new Promise((resolve) => setImmediate(resolve));
      file.discard();
      await stored;
      assert.deepEqual(readdirSync(home), [], `after ${turns} turns`);
    }
  });

  test("is not written once its run is over", async () => {
    const file = arriving();
    file.discard();
    await file.stored(true);

    assert.deepEqual(readdirSync(home), []);
  });
});

import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import { runCommandLine } from "../../../src/cli/command-line.js";
import { SavedFiles } from "../../../src/cli/commands/saved-files.js";
import { folderWith } from "../../support/config-folder.js";

const unreadable = (file: string) => [[file], /main\.ts .*: install tsx/] as const;

describe("framework dev", () => {
  test("is 2 for a file that cannot be run, and says why", async () => {
    const folder = folderWith({ "main.ts": "" });
    const mistakes: readonly (readonly [args: readonly string[], message: RegExp])[] = [
      [[], /: framework dev src\/main\.ts/],
      [["nowhere.ts"], /there is no file nowhere\.ts/],
      [[folder], /is a folder: .*, such as src\/main\.ts/],
      [["main.ts", "--port", "80"], /there is no option '--port'/],
      // Newer ones read it by themselves.
      ...(process.version.startsWith("v20.") ? [unreadable(join(folder, "main.ts"))] : []),
    ];
    for (const [args, message] of mistakes) {
      let stderr = "";
      const err = (text: string): void => {
        stderr += text;
      };
      assert.equal(await runCommandLine(["dev", ...args], { out: () => {}, err, isTerminal: false }), 2);
      assert.match(stderr, message);
    }
  });
});

describe("saved files", () => {
  /** A folder with two files, one of which is watched. */
  function watched() {
    const folder = folderWith({ "one.ts": "", "other.ts": "" });
    const saved = new SavedFiles();
    saved.add(join(folder, "one.ts"));
    return { saved, at: (name: string) => join(folder, name) };
  }

  test("are those that were added, written or renamed into place, once for all steps of an editor", async () => {
    const { saved, at } = watched();
    writeFileSync(at("other.ts"), "2");
    writeFileSync(at("one.ts"), "");
    writeFileSync(at("one.ts"), "2");
    await saved.next();
    assert.deepEqual(await saved.take(), [at("one.ts")]);

    saved.add(at("other.ts"));
    writeFileSync(at("other.ts~"), "3");
    renameSync(at("other.ts~"), at("other.ts"));
    await saved.next();
    assert.deepEqual(await saved.take(), [at("other.ts")]);
    saved.close();
  });

  test("are all modules of the folder while a module may be missing, and no other files", async () => {
    const { saved, at } = watched();
    saved.countsAll = true;
    for (const name of [".one.ts.swp", "one.ts~", "4913", ".#new.ts", "new.ts"]) writeFileSync(at(name), "");
    await saved.next();

    assert.deepEqual(await saved.take(), [at("new.ts")]);
    saved.close();
  });

  test("are seen in a folder that was removed, once a file of it is loaded again", async () => {
    const folder = folderWith({ "below/one.ts": "" });
    const one = join(folder, "below/one.ts");
    const saved = new SavedFiles();
    saved.add(one);
    rmSync(join(folder, "below"), { recursive: true });
    await saved.next();
    assert.deepEqual(await saved.take(), [one]);

    mkdirSync(join(folder, "below"));
    writeFileSync(one, "");
    saved.add(one);
    writeFileSync(one, "2");
    await saved.next();
    assert.deepEqual(await saved.take(), [one]);
    saved.close();
  });
});

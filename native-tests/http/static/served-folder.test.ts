import assert from "node:assert/strict";
import { rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Refusal } from "#http/refusal/refusal.js";
import type { FileEntry } from "#http/static/file-cache.js";
import { checkedFolder, type ServeDirOptions } from "#http/static/folder-options.js";
import { RootFolder } from "#http/static/root-folder.js";
import { ServedFolder } from "#http/static/served-folder.js";
import { put, site, YESTERDAY } from "../../support/site.js";

/** A directory on a clock that the test moves by hand. */
function served(files: Readonly<Record<string, string>>, options: ServeDirOptions = {}) {
  const path = site(files);
  const clock = { ms: Date.now() };
  const { rulesWith } = checkedFolder("serveDir()", { now: () => clock.ms, ...options });
  const folder = new ServedFolder(new RootFolder("serveDir()", path), rulesWith(undefined), () => {}, true);
  /** As it is found where the disk has time. */
  const look = async (name: string): Promise<FileEntry | undefined> => {
    const entry = await folder.look(name);
    assert.ok(!(entry instanceof Refusal));
    return entry;
  };
  const text = (name = "a.txt"): string | undefined =>
    folder.remembered(name, clock.ms)?.get("identity")?.variant.bytes?.toString();
  return { path, clock, folder, look, text };
}

describe("the files of a directory", () => {
  test("are remembered for a second, and then looked at again", async () => {
    const { path, clock, look, text } = served({ "a.txt": "old" });
    await look("a.txt");
    writeFileSync(join(path, "a.txt"), "new");

    clock.ms += 999;
    assert.equal(text(), "old");
    clock.ms += 1;
    assert.equal(text(), undefined, "nobody is answered with it any more");
    await look("a.txt");
    assert.equal(text(), "new");
  });

  test("are not read again where they have not changed", async () => {
    const { clock, folder, look } = served({ "a.txt": "A" });
    clock.ms += 60_000;
    const before = await look("a.txt");

    clock.ms += 1000;
    assert.equal(await look("a.txt"), before);
    assert.equal(folder.remembered("a.txt", clock.ms + 999), before, "it was looked at now");
  });

  test("are read again while the time of their change could hide another", async () => {
    const { path, clock, look, text } = served({ "a.txt": "one" });
    const file = join(path, "a.txt");
    clock.ms = statSync(file).ctimeMs + 10;
    const before = await look("a.txt");

    clock.ms += 1000;
    assert.notEqual(await look("a.txt"), before);
    assert.equal(text(), "one");
  });

  test("are gone when they are gone", async () => {
    const { path, clock, look, text } = served({ "a.txt": "A" });
    await look("a.txt");
    rmSync(join(path, "a.txt"));

    clock.ms += 1000;
    assert.equal(await look("a.txt"), undefined);
    assert.equal(text(), undefined);
  });

  test("are seen with what is put beside them later", async () => {
    const { path, clock, look } = served({ "a.txt": "A" });
    const before = await look("a.txt");
    put(path, "a.txt.br", "BR");

    clock.ms += 1000;
    const entry = await look("a.txt");
    assert.equal(before?.get("br"), undefined);
    assert.equal(entry?.get("br")?.variant.bytes?.toString(), "BR");
    assert.notEqual(entry?.get("identity"), before?.get("identity"), "its answers vary now");
  });

  test("are looked at once for all who ask meanwhile", async () => {
    const { look } = served({ "a.txt": "A" });
    const [one, ...others] = await Promise.all(Array.from({ length: 10 }, () => look("a.txt")));

    assert.ok(others.every((other) => other === one));
  });

  test("are not kept where a clock was set back before they were read", async () => {
    const { clock, look, text } = served({ "a.txt": "A" });
    await look("a.txt");

    clock.ms -= 3_600_000;
    assert.equal(text(), undefined);
  });

  test("are not in memory where they are large, or nothing is to be", async () => {
    const large = served({ "a.txt": "12345" }, { cache: { maxFileBytes: 4 } });
    const none = served({ "a.txt": "1" }, { cache: false });

    for (const { folder, clock, look } of [large, none]) {
      const entry = await look("a.txt");
      assert.equal(entry?.get("identity")?.variant.bytes, undefined);
      assert.ok(folder.remembered("a.txt", clock.ms)?.get("identity")?.variant.bytes === undefined);
    }
  });

  test("have a tag that says what is in them, and not when that was written", async () => {
    const { path, clock, look } = served({ "a.txt": "A" });
    const tag = async () => (await look("a.txt"))?.get("identity")?.variant.etag;
    const before = await tag();

    utimesSync(join(path, "a.txt"), new Date(), new Date());
    clock.ms += 1000;
    assert.equal(await tag(), before);
    put(path, "a.txt", "B", YESTERDAY);
    clock.ms += 1000;
    assert.notEqual(await tag(), before);
  });

  test("are not looked at for everybody at once, however long the disk takes", async () => {
    const { folder } = served({});
    const looks = Array.from({ length: 4097 }, (_, i) => folder.look(`${i}.txt`));
    const [last] = looks.slice(-1);

    assert.ok((await last) instanceof Refusal);
    assert.ok((await Promise.all(looks.slice(0, -1))).every((found) => found === undefined));
    assert.equal(await folder.look("again.txt"), undefined);
  });
});

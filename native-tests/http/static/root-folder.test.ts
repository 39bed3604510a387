import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import fc from "fast-check";
import { isServable } from "#http/static/media-type.js";
import { RootFolder } from "#http/static/root-folder.js";
import { emptyFolder, site } from "../../support/site.js";

/** What it opens, as text; undefined for nothing. */
async function textOf(root: RootFolder, path: string): Promise<string | undefined> {
  const opened = await root.open(path);
  if (opened === undefined) return undefined;
  const text = readFileSync(opened.fd, "utf8");
  closeSync(opened.fd);
  return text;
}

describe("a root", () => {
  test("opens the regular files below it", async () => {
    const root = new RootFolder("serveDir()", site({ "a.txt": "A", "b/c.txt": "C" }));

    assert.equal(await textOf(root, "a.txt"), "A");
    assert.equal(await textOf(root, "b/c.txt"), "C");
    for (const path of ["none", "a.txt/b", "b", "b/none", "x".repeat(5000), `${"a/".repeat(3000)}b`])
      assert.equal(await textOf(root, path), undefined, path);
  });

  test("follows links to what is below it, and to nothing else", async () => {
    const outside = site({ "secret.txt": "SECRET", "folder/key": "KEY" });
    const path = site({ "real/a.txt": "A" });
    const root = new RootFolder("serveDir()", path);
    symlinkSync(join(path, "real/a.txt"), join(path, "absolute.txt"));
    symlinkSync("real", join(path, "linked"));
    symlinkSync(join(outside, "secret.txt"), join(path, "secret.txt"));
    symlinkSync(join(outside, "folder"), join(path, "folder"));
    symlinkSync("/etc/passwd", join(path, "passwd"));
    symlinkSync("secret.txt", join(path, "twice.txt"));
    symlinkSync("loop", join(path, "loop"));
    symlinkSync("nowhere", join(path, "dangling"));

    assert.equal(await textOf(root, "absolute.txt"), "A");
    assert.equal(await textOf(root, "linked/a.txt"), "A");
    for (const link of ["secret.txt", "folder/key", "folder", "passwd", "twice.txt", "loop", "dangling"])
      assert.equal(await textOf(root, link), undefined, link);
  });

  test("does not take a neighbour whose name begins as its own does", async () => {
    const parent = emptyFolder();
    mkdirSync(join(parent, "www"));
    mkdirSync(join(parent, "www-private"));
    writeFileSync(join(parent, "www-private/key"), "KEY");
    symlinkSync("../www-private/key", join(parent, "www/key"));

    assert.equal(await textOf(new RootFolder("serveDir()", join(parent, "www")), "key"), undefined);
  });

  test("may be a link itself, and stays where that led", async () => {
    const parent = emptyFolder();
    mkdirSync(join(parent, "one"));
    writeFileSync(join(parent, "one/a.txt"), "ONE");
    symlinkSync("one", join(parent, "current"));
    const root = new RootFolder("serveDir()", join(parent, "current"));

    assert.equal(await textOf(root, "a.txt"), "ONE");
  });

  test("opens nothing that is no regular file, and waits for none", async () => {
    const path = emptyFolder();
    const root = new RootFolder("serveDir()", path);
    execFileSync("mkfifo", [join(path, "fifo")]);
    const server = createServer().listen(join(path, "socket"));
    after(() => server.close());
    symlinkSync("/dev/zero", join(path, "zero"));
    symlinkSync("/dev/tty", join(path, "tty"));
    mkdirSync(join(path, "folder"));

    for (const name of ["fifo", "socket", "zero", "tty", "folder"])
      assert.equal(await root.open(name), undefined, name);
  });

  test("wakes nobody who waits for a reader of a FIFO", async () => {
    const path = emptyFolder();
    const root = new RootFolder("serveDir()", path);
    const fifo = join(path, "fifo");
    execFileSync("mkfifo", [fifo]);
    let isAwake = false;
    const writer = open(fifo, "w").finally(() => {
      isAwake = true;
    });
    for (let turn = 0; turn < 20; turn += 1) await root.open("fifo");

    assert.ok(!isAwake);
    const reader = await open(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
    await (await writer).close();
    await reader.close();
  });

  test("is not deceived by a folder that becomes a link while it looks", async () => {
    const outside = site({ "a.txt": "SECRET" });
    const path = site({ "folder/a.txt": "A" });
    const root = new RootFolder("serveDir()", path);
    const [folder, aside, link] = ["folder", "aside", "link"].map((name) => join(path, name)) as [
      string,
      string,
      string,
    ];
    symlinkSync(outside, link);
    let isOver = false;
    const swapping = (async () => {
      for (let turn = 0; turn < 300; turn += 1) {
        renameSync(folder, aside);
        renameSync(link, folder);
        await new Promise(setImmediate);
        renameSync(folder, link);
        renameSync(aside, folder);
        await new Promise(setImmediate);
      }
      isOver = true;
    })();
    const seen = new Set<string | undefined>();
    while (!isOver)
      for (const text of await Promise.all([1, 2, 3].map(() => textOf(root, "folder/a.txt")))) seen.add(text);
    await swapping;

    assert.ok(!seen.has("SECRET"));
    assert.ok(seen.has("A"));
  });

  test("opens only what lies below it, whatever is asked for and wherever links lead", async () => {
    const outside = site({ "a/a": "SECRET", "a/b/a": "SECRET", "b/a": "SECRET" });
    const names = ["a", "b", "c"];
    const name = fc.constantFrom(...names);
    const entry = fc.record({
      at: fc.array(name, { minLength: 1, maxLength: 3 }),
      to: fc.oneof(
        fc.constant("file"),
        fc.array(fc.constantFrom("..", ...names), { minLength: 1, maxLength: 5 }).map((to) => to.join("/")),
        fc.constantFrom(outside, `${outside}/a`, `${outside}/a/a`, "/", "/etc/passwd"),
      ),
    });
    const asked = fc.array(fc.constantFrom("..", ".", "", ...names), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 10 }),
        fc.array(asked, { maxLength: 10 }),
        async (entries, paths) => {
          const path = emptyFolder();
          for (const { at, to } of entries) {
            const place = join(path, ...at);
            try {
              mkdirSync(join(place, ".."), { recursive: true });
              if (to === "file") writeFileSync(place, "PUBLIC", { flag: "wx" });
              else symlinkSync(to, place);
            } catch {
              // What stands there already stays, and so does what a link leads to.
            }
          }
          const root = new RootFolder("serveDir()", path);
          for (const segments of paths) {
            const text = await textOf(root, segments.join("/"));
            const isRefused = !isServable(segments.join("/"));
            assert.ok(text === undefined || text === "PUBLIC" || isRefused, `${segments.join("/")}: ${text}`);
          }
          rmSync(path, { recursive: true, force: true });
        },
      ),
      { numRuns: 60 },
    );
    assert.equal(readFileSync(join(outside, "a/a"), "utf8"), "SECRET");
  });

  test("has to be there", () => {
    const path = site({ "a.txt": "A" });

    for (const wrong of [join(path, "none"), join(path, "a.txt")])
      assert.throws(() => new RootFolder("serveDir('/', 'x')", wrong), {
        code: "FILES_MISSING",
        message: /^serveDir\('\/', 'x'\): '.+' .*: name a directory/,
      });
  });
});

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { Axon, Framework, multipart, Type } from "framework";
import { type DiskFile, type Multipart, type MultipartOptions, TestApp } from "framework/http";

import { formOf, post } from "../../../support/multipart-requests.js";

type Fields = Readonly<Record<string, string | readonly string[]>>;

describe("multipart() with files on disk", () => {
  const home = mkdtempSync(join(tmpdir(), "framework-test-uploads-"));
  after(() => rmSync(home, { recursive: true }));
  const left = () => readdirSync(home);

  /** An app whose step is given the files. */
  const onDisk = (step: (files: readonly DiskFile[]) => unknown, options: MultipartOptions = {}) =>
    new TestApp(
      Framework.http({ reporter: () => {} }).post(
        "/",
        Axon.start<Multipart<Fields, DiskFile>>("upload").thenFn("step", ({ files }) => step(files)),
        { input: multipart({ ...options, files: "disk", directory: home }) as never },
      ),
    );
  const two = () =>
    formOf([
      ["f", new File(["first"], "a.txt")],
      ["a", "1"],
      ["f", new File(["second"], "a.txt")],
    ]);

  test("gives each a random name that this user alone may read", async () => {
    const seen: unknown[] = [];
    await post(
      onDisk((files) => {
        for (const { path, size, filename } of files)
          seen.push([readFileSync(path, "utf8"), size, filename, (statSync(path).mode & 0o777).toString(8)]);
        assert.equal(new Set(files.map(({ path }) => path)).size, 2);
        assert.ok(files.every(({ path }) => /\/framework-upload-[0-9a-f]{32}$/.test(path)));
      }),
      two(),
    );

    assert.deepEqual(seen, [
      ["first", 5, "a.txt", "600"],
      ["second", 6, "a.txt", "600"],
    ]);
    assert.deepEqual(left(), []);
  });

  test("removes them whatever becomes of the run", async () => {
    const fails = () => {
      throw new Error("no");
    };
    const later = async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      assert.equal(left().length, 2);
      throw new Error("no");
    };
    for (const step of [() => "fine", fails, later]) {
      await post(onDisk(step), two());

      assert.deepEqual(left(), []);
    }
  });

  test("removes them where the body is refused", async () => {
    for (const options of [
      { maxFiles: 1 },
      { maxFileSize: 5 },
      { maxFields: 0 },
      { schema: Type.Object({ b: Type.String() }) },
    ]) {
      assert.ok(
        (
          await post(
            onDisk(() => "ran", options),
            two(),
          )
        ).status >= 400,
      );
      assert.deepEqual(left(), []);
    }
  });

  test("leaves those alone that the step keeps, and replaces nothing", async () => {
    const kept = join(home, "kept.txt");
    const taken = join(home, "taken.txt");
    writeFileSync(taken, "mine");
    const codes: unknown[] = [];
    await post(
      onDisk(async (files) => {
        const [first, second] = files as [DiskFile, DiskFile];
        await first.keep(kept);
        assert.equal(first.path, kept);
        await first.keep(join(home, "again.txt")).catch(({ code }) => codes.push(code));
        await second.keep(taken).catch(({ code }) => codes.push(code));
      }),
      two(),
    );

    assert.deepEqual(codes, ["UPLOAD_RELEASED", "EEXIST"]);
    assert.deepEqual(left().sort(), ["kept.txt", "taken.txt"]);
    assert.deepEqual([readFileSync(kept, "utf8"), readFileSync(taken, "utf8")], ["first", "mine"]);
    for (const path of [kept, taken]) rmSync(path);
  });

  test("can be kept on another file system, and replace nothing there", async () => {
    // Another one on most machines, and where it is none, the same holds.
    const elsewhere = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "framework-test-"));
    const codes: unknown[] = [];
    await post(
      onDisk(async (files) => {
        const [first, second] = files as [DiskFile, DiskFile];
        await first.keep(join(elsewhere, "kept.txt"));
        await second.keep(join(elsewhere, "kept.txt")).catch(({ code }) => codes.push(code));
      }),
      two(),
    );

    assert.deepEqual([readFileSync(join(elsewhere, "kept.txt"), "utf8"), codes], ["first", ["EEXIST"]]);
    assert.equal((statSync(join(elsewhere, "kept.txt")).mode & 0o777).toString(8), "600");
    assert.deepEqual(left(), []);
    rmSync(elsewhere, { recursive: true });
  });

  test("cannot be kept after the run", async () => {
    let held: DiskFile | undefined;
    await post(
      onDisk((files) => {
        held = files[0];
      }),
      two(),
    );

    await assert.rejects((held as DiskFile).keep(join(home, "late.txt")), { code: "UPLOAD_RELEASED" });
    assert.deepEqual(left(), []);
  });

  test("that cannot be written are 503, and reported", async () => {
    const gone = mkdtempSync(join(tmpdir(), "framework-test-gone-"));
    const reports: string[] = [];
    const app = new TestApp(
      Framework.http({
        reporter: ({ code, error }) => void reports.push(`${code} ${(error as { code: string }).code}`),
      }).post(
        "/",
        Axon.start<Multipart<Fields, DiskFile>>("upload").thenFn("step", () => "ran"),
        { input: multipart({ files: "disk", directory: gone }) },
      ),
    );
    rmSync(gone, { recursive: true });
    const answer = await post(app, two());

    assert.deepEqual(
      [answer.status, answer.problem.code, reports],
      [503, "STORAGE_UNAVAILABLE", ["STORAGE_FAILED ENOENT"]],
    );
  });
});

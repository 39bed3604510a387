import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { Axon, Framework, multipart, Type } from "framework";
import {
  type DiskFile,
  type MemoryFile,
  type Multipart,
  type MultipartOptions,
  TestApp,
} from "framework/http";

import { formOf, post } from "../../../support/multipart-requests.js";

const png = (name = "a.png", type = "image/png", size = 3) => new File(["x".repeat(size)], name, { type });

/** An app that tells which files its step was given. */
const app = (options: MultipartOptions) =>
  new TestApp(
    Framework.http({ reporter: () => {} }).post(
      "/",
      Axon.start<Multipart<unknown, Record<string, MemoryFile | readonly MemoryFile[] | undefined>>>(
        "upload",
      ).thenFn("tell", ({ fields, files }) => ({
        fields,
        files: Object.entries(files).map(([name, file]) => [
          name,
          [file].flat().map((each) => each?.filename),
        ]),
      })),
      { input: multipart(options) as never },
    ),
  );

type Entries = readonly (readonly [string, string | File])[];

const answer = async (options: MultipartOptions, ...entries: Entries) =>
  (await post(app(options), formOf(entries))).json;
/** "422 INPUT_INVALID /picture required". */
const refusal = async (options: MultipartOptions, ...entries: Entries) => {
  const { status, code, errors = [] } = (await post(app(options), formOf(entries))).problem;
  return [`${status} ${code}`, ...errors.map(({ pointer, keyword }) => `${pointer} ${keyword}`)];
};

const Picture = {
  files: { picture: { required: true, types: ["image/png", "image/JPEG"], maxSize: 5 } },
} as const;

describe("files of multipart() by name", () => {
  test("are given by their names, whatever the order of the body", async () => {
    const options = { files: { picture: {}, pages: { multiple: true }, note: {} } } as const;

    assert.deepEqual(
      await answer(options, ["pages", png("1")], ["picture", png()], ["title", "x"], ["pages", png("2")]),
      {
        fields: { title: "x" },
        files: [
          ["picture", ["a.png"]],
          ["pages", ["1", "2"]],
          ["note", [null]],
        ],
      },
    );
    assert.deepEqual(await answer(options), {
      fields: {},
      files: [
        ["picture", [null]],
        ["pages", []],
        ["note", [null]],
      ],
    });
  });

  test("are 422 where a required one is missing, or a browser's user has chosen none", async () => {
    assert.deepEqual(await refusal(Picture), ["422 INPUT_INVALID", "/picture required"]);
    assert.deepEqual(await refusal(Picture, ["picture", "text"]), ["422 INPUT_INVALID", "/picture required"]);
    assert.deepEqual(await refusal(Picture, ["picture", new File([], "")]), [
      "422 INPUT_INVALID",
      "/picture required",
    ]);
    assert.ok(await answer(Picture, ["picture", new File([], "empty.png", { type: "image/png" })]));
    assert.deepEqual(await refusal({ files: { a: { required: true, multiple: true } } }), [
      "422 INPUT_INVALID",
      "/a required",
    ]);
  });

  test("are 422 where their type is another, there are two of one, or nothing has their name", async () => {
    assert.deepEqual(await refusal(Picture, ["picture", png("a.gif", "image/gif")]), [
      "422 INPUT_INVALID",
      "/picture contentMediaType",
    ]);
    assert.deepEqual(await refusal(Picture, ["picture", png()], ["picture", png()]), [
      "422 INPUT_INVALID",
      "/picture maxItems",
    ]);
    assert.deepEqual(await refusal(Picture, ["picture", png()], ["a/~b", png()]), [
      "422 INPUT_INVALID",
      "/a~1~0b additionalProperties",
    ]);
    assert.ok(await answer(Picture, ["picture", png("a.jpg", "image/jpeg; q=1")]));
  });

  test("take a range of types, and a file without one as application/octet-stream", async () => {
    const of = (type: string) => ({ files: { f: { types: [type] } } });

    for (const [wanted, sent, isTaken] of [
      ["image/*", "image/webp", true],
      ["image/*", "images/webp", false],
      ["*/*", "a/b", true],
      ["application/octet-stream", "", true],
      ["text/plain", "", false],
    ] as const) {
      const { status } = await post(app(of(wanted)), formOf([["f", png("f", sent)]]));
      assert.equal(status, isTaken ? 200 : 422, `${wanted} ${sent}`);
    }
  });

  test("are told with the errors of the fields, in one problem", async () => {
    const options = { ...Picture, schema: Type.Object({ year: Type.Integer({ minimum: 1900 }) }) };

    assert.deepEqual(await refusal(options, ["year", "1800"]), [
      "422 INPUT_INVALID",
      "/year minimum",
      "/picture required",
    ]);
    // What cannot be read at all is 400, as without files.
    assert.deepEqual(await refusal(options, ["year", "x"]), ["400 PARAMETER_INVALID", "/year type"]);
  });

  test("are 413 above their size, which may be above that of other files", async () => {
    const problem = async (size: number, options: MultipartOptions) => {
      const answered = await post(app(options), formOf([["picture", png("a", "image/png", size)]]));
      return answered.status === 413 ? answered.problem.detail : answered.status;
    };

    assert.equal(await problem(5, Picture), 200);
    assert.equal(await problem(6, Picture), "The file 'picture' is too large: maxSize is 5");
    assert.equal(await problem(6, { files: { picture: { maxSize: 8 } }, maxFileSize: 5 }), 200);
    assert.equal(
      await problem(6, { files: { picture: {} }, maxFileSize: 5 }),
      "A file is too large: maxFileSize is 5",
    );
  });

  test("are refused without being kept: 150 of them are 100 errors, and none is on the disk", async () => {
    const home = mkdtempSync(join(tmpdir(), "framework-test-named-"));
    after(() => rmSync(home, { recursive: true }));
    const options = {
      files: { f: { store: "disk", required: true } },
      directory: home,
      maxParts: 200,
    } as const;
    const entries = Array.from({ length: 150 }, (_, i) => [`other${i}`, png()] as const);

    assert.equal((await refusal(options, ...entries)).length, 1 + 100);
    assert.deepEqual(readdirSync(home), []);
  });

  test("are in memory or on the disk, each as its options say", async () => {
    const home = mkdtempSync(join(tmpdir(), "framework-test-named-"));
    after(() => rmSync(home, { recursive: true }));
    const axon = Axon.start<Multipart<unknown, { small: MemoryFile; scan: DiskFile }>>("upload").thenFn(
      "tell",
      ({ files: { small, scan } }) => [
        small.bytes.length,
        readFileSync(scan.path, "utf8"),
        readdirSync(home).length,
      ],
    );
    const input = multipart({
      files: { small: { required: true }, scan: { required: true, store: "disk" } },
      directory: home,
    });
    await using served = new TestApp(Framework.http().post("/", axon, { input: input as never }));

    const { json } = await post(
      served,
      formOf([
        ["scan", png("s", "a/b", 2)],
        ["small", png()],
      ]),
    );
    assert.deepEqual([json, readdirSync(home)], [[3, "xx", 1], []]);
  });

  test("are refused at mount where their options cannot be", () => {
    const wrong = (files: unknown, schema?: unknown) => () =>
      app({ files, ...(schema !== undefined && { schema }) } as never);

    for (const [files, message] of [
      ["disc", /^POST \/.*: multipart\(\) has files "disc": use "memory", "disk", or the files by name/],
      [{ picture: true }, /the file 'picture' in multipart\(\) of .*POST \/.*: give its options/],
      [{ "": {} }, /its name is empty/],
      [{ picture: { maxSize: -1 } }, /maxSize is -1: use a whole number/],
      [{ picture: { types: ["png"] } }, /types is \["png"\]: list media types/],
      [{ picture: { store: "disc" } }, /store is "disc": use "memory" or "disk"/],
    ] as const)
      assert.throws(wrong(files), { code: "EXTRACTOR_INVALID", message });
    assert.throws(wrong({ a: {} }, Type.Object({ a: Type.String() })), {
      message: /has a field of this name/,
    });
    assert.throws(wrong({ picture: { maxsize: 1 } }), {
      code: "CONFIG_INVALID",
      message: /^the file 'picture' in multipart\(\) of .*did you mean maxSize/i,
    });
  });
});

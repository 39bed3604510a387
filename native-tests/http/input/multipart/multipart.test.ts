import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, combine, Framework, multipart, query, Type } from "framework";
import { type MemoryFile, type Multipart, type MultipartOptions, TestApp } from "framework/http";
import { Parts } from "#http/input/multipart/parts.js";

import { heapAfterCollection } from "../../../support/heap.js";
import { formOf, post } from "../../../support/multipart-requests.js";
import { untyped, untypedApp } from "../../../support/untyped.js";

type Fields = Readonly<Record<string, string | readonly string[]>>;

/** What an Axon answers of files in memory. */
const told = ({ fields, files }: Multipart<unknown, MemoryFile>) => ({
  fields,
  files: files.map(({ bytes, ...file }) => ({ ...file, text: Buffer.from(bytes).toString() })),
});

const inMemory = (options: MultipartOptions = {}) =>
  new TestApp(
    Framework.http().post(
      "/",
      Axon.start<Multipart<Fields, MemoryFile>>("upload").thenFn("tell", (input) => told(input)),
      { input: multipart({ ...options, files: "memory" }) as never },
    ),
  );

const raw = (app: TestApp<never>, body: string, type = "multipart/form-data; boundary=b") =>
  app.post("/", { body: Buffer.from(body, "latin1"), headers: { "content-type": type } });
const problem = async (answer: ReturnType<typeof raw>) => {
  const { status, code, detail } = (await answer).problem;
  return `${status} ${code}: ${detail ?? ""}`;
};

describe("the options of multipart()", () => {
  test("have the names that there are: a misspelt limit would limit nothing", () => {
    assert.throws(() => inMemory({ maxFilesize: 5 } as never), {
      code: "CONFIG_INVALID",
      message: /^multipart\(\) of .*POST \/.*did you mean maxFileSize/,
    });
  });
});

describe("multipart()", () => {
  test("reads fields and files as fetch sends them", async () => {
    const photo = new File(["bytes\r\n--b"], "../a é.jpg", { type: "image/JPEG" });
    const form = formOf([
      ["who", "Ada"],
      ["tag", "x"],
      ["photo", photo],
      ["tag", "y"],
      ["note", new File([], "e.txt")],
    ]);

    assert.deepEqual((await post(inMemory(), form)).json, {
      fields: { who: "Ada", tag: ["x", "y"] },
      files: [
        {
          name: "photo",
          filename: "a é.jpg",
          type: "image/jpeg",
          sent: { filename: "../a é.jpg", type: "image/jpeg" },
          size: 10,
          text: "bytes\r\n--b",
        },
        {
          name: "note",
          filename: "e.txt",
          type: "application/octet-stream",
          sent: { filename: "e.txt", type: "application/octet-stream" },
          size: 0,
          text: "",
        },
      ],
    });
    assert.deepEqual((await post(inMemory(), new FormData())).json, { fields: {}, files: [] });
  });

  test("reads fields as their schema says", async () => {
    const schema = Type.Object({
      age: Type.Integer({ minimum: 18 }),
      at: Type.Optional(Type.Object({ city: Type.String() })),
    });
    const app = inMemory({ schema });

    assert.deepEqual(
      (
        await post(
          app,
          formOf([
            ["age", "20"],
            ["at[city]", "Oban"],
          ]),
        )
      ).json,
      {
        fields: { age: 20, at: { city: "Oban" } },
        files: [],
      },
    );
    const errors = async (age: string) => {
      const { status, errors: found } = (await post(app, formOf([["age", age]]))).problem;
      return [status, ...(found ?? []).map(({ pointer, keyword }) => `${pointer} ${keyword}`)];
    };
    assert.deepEqual(await errors("x"), [400, "/age type"]);
    assert.deepEqual(await errors("17"), [422, "/age minimum"]);
  });

  test("takes no file for one that nobody has chosen", async () => {
    const head =
      'Content-Disposition: form-data; name="f"; filename=""\r\nContent-Type: application/octet-stream';
    const answer = (data: string) =>
      raw(inMemory({ maxFiles: data === "" ? 0 : 1 }), `--b\r\n${head}\r\n\r\n${data}\r\n--b--`);

    assert.deepEqual((await answer("")).json, { fields: {}, files: [] });
    assert.deepEqual(
      ((await answer("x")).json as { files: { filename: string }[] }).files[0]?.filename,
      "unnamed",
    );
  });

  test("refuses what is malformed, of another type, or missing", async () => {
    const app = inMemory();
    const field = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n';

    assert.match(await problem(raw(app, `${field}1\r\n`)), /^400 MULTIPART_INVALID: .*last boundary$/);
    assert.match(await problem(raw(app, `${field}\xff\r\n--b--`)), /^400 MULTIPART_INVALID: .*UTF-8$/);
    assert.equal(await problem(raw(app, "")), "400 BODY_MISSING: ");
    assert.equal(
      await problem(raw(app, `${field.replace('"a"', "__proto__")}1\r\n--b--`)),
      "400 FORM_INVALID: It has a field '__proto__'",
    );
    for (const type of [
      "",
      "; boundary=",
      '; boundary="b "',
      `; boundary=${"b".repeat(71)}`,
      "; boundary=b; boundary=c",
      '; boundary="b\u00e9"',
    ])
      assert.match(
        await problem(raw(app, `${field}1\r\n--b--`, `multipart/form-data${type}`)),
        /has no boundary/,
        type,
      );
    for (const type of [
      "multipart/mixed; boundary=b",
      "application/json",
      "multipart/form-data2; boundary=b",
    ]) {
      const answer = await raw(app, `${field}1\r\n--b--`, type);

      assert.deepEqual([answer.status, answer.headers["accept-post"]], [415, "multipart/form-data"], type);
    }
    const spaced = await raw(
      app,
      '--a b?\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--a b?--',
      'Multipart/Form-Data ;Boundary="a b?"',
    );
    assert.deepEqual(spaced.json, { fields: { a: "1" }, files: [] });
  });

  test("keeps no object for each piece of a part", () => {
    const limits = {
      maxFiles: 1,
      maxFileSize: 1e6,
      maxFields: 1,
      maxFieldSize: 1e6,
      maxParts: 2,
      maxHeaderSize: 1,
    };
    const byte = Buffer.from("x");
    for (const filename of ["a", undefined]) {
      const parts = new Parts(
        { limits, directory: undefined, files: undefined },
        { keep: () => undefined, whenReleased: () => {} },
      );
      parts.begin({ name: "f", filename, sentType: "", type: undefined });
      const before = heapAfterCollection();
      for (let i = 0; i < 100_000; i += 1) parts.data(byte.subarray(0));
      assert.ok(heapAfterCollection() - before < 2_000_000, `${filename}`);
      parts.end();
      const whole =
        filename === undefined
          ? parts.fields[0]?.[1].length
          : (parts.files as readonly MemoryFile[])[0]?.size;
      assert.equal(whole, 100_000);
    }
  });

  test("refuses what is above its limits, and ends the connection", async () => {
    const file = (size: number) => new File(["x".repeat(size)], "x");
    const limits = {
      maxFiles: 2,
      maxFileSize: 10,
      maxFields: 2,
      maxFieldSize: 5,
      maxParts: 3,
      maxHeaderSize: 200,
    };
    const answers = async (...entries: (readonly [string, string | File])[]) => {
      const answer = await post(inMemory(limits), formOf(entries));
      return answer.status === 200
        ? "200"
        : `${answer.headers["connection"]} ${answer.status} ${answer.problem.detail}`;
    };
    const long = "x".repeat(300);

    assert.equal(await answers(["a", "12345"], ["f", file(10)], ["g", file(10)]), "200");
    assert.equal(
      await answers(["f", file(1)], ["f", file(1)], ["f", file(1)]),
      "close 413 There are too many files: maxFiles is 2",
    );
    assert.equal(await answers(["f", file(11)]), "close 413 A file is too large: maxFileSize is 10");
    assert.equal(
      await answers(["a", ""], ["a", ""], ["a", ""]),
      "close 413 There are too many fields: maxFields is 2",
    );
    assert.equal(await answers(["a", "123456"]), "close 413 A field is too large: maxFieldSize is 5");
    assert.equal(
      await answers(["a", ""], ["f", file(1)], ["g", file(1)], ["b", ""]),
      "close 413 There are too many parts: maxParts is 3",
    );
    assert.match(await answers([long, ""]), /^undefined 400 .*headers of a part.* 200 bytes$/);
    const small = new TestApp(
      Framework.http().post("/", Axon.start<Multipart<Fields, MemoryFile>>("u").thenFn("tell", told), {
        input: multipart(),
        bodyLimit: 200,
      }),
    );
    assert.equal((await post(small, formOf([["a", "x".repeat(300)]]))).problem.code, "BODY_TOO_LARGE");
  });

  test("stands beside other extractors, which are asked first", async () => {
    const app = new TestApp(
      Framework.http().post(
        "/",
        Axon.start<{ form: Multipart<Fields, MemoryFile>; at: { n: number } }>("both").thenFn(
          "tell",
          ({ form, at }) => ({ ...told(form), ...at }),
        ),
        { input: combine({ form: multipart(), at: query(Type.Object({ n: Type.Integer() })) }) },
      ),
    );

    assert.deepEqual((await post(app, formOf([["a", "1"]]), "/?n=5")).json, {
      fields: { a: "1" },
      files: [],
      n: 5,
    });
    assert.equal((await post(app, formOf([["a", "1"]]), "/?n=x")).problem.code, "PARAMETER_INVALID");
  });

  test("cannot be mounted with limits that are none, or without its directory", () => {
    const mount = (options: MultipartOptions) => () =>
      untypedApp(
        untyped(Framework.http()).post("/x", Axon.start<unknown>("x"), { input: multipart(options) }),
      );

    assert.throws(mount({ maxFiles: -1 }), { code: "EXTRACTOR_INVALID", message: /POST \/x .*maxFiles -1/ });
    assert.throws(mount({ maxFileSize: 1.5 }), { code: "EXTRACTOR_INVALID" });
    assert.throws(mount({ files: "disk", directory: "/nowhere/at/all" }), {
      code: "EXTRACTOR_INVALID",
      message: /has no directory \/nowhere/,
    });
    assert.throws(mount({ schema: Type.String() as never }), { code: "EXTRACTOR_INVALID" });
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { MultipartParser } from "#http/input/multipart/parser.js";
import type { PartHead } from "#http/input/multipart/part-head.js";
import type { Refusal } from "#http/refusal/refusal.js";

interface Part {
  readonly head: PartHead;
  data: string;
}

/** The parts, or why they are refused; read in pieces of these lengths. */
function parse(body: string, boundary = "b", lengths: readonly number[] = [], maxHead = 1000) {
  const parts: Part[] = [];
  let open = false;
  const parser = new MultipartParser(boundary, maxHead, {
    begin: (head): undefined => {
      assert.ok(!open);
      open = true;
      parts.push({ head, data: "" });
    },
    data: (bytes): undefined => {
      assert.ok(open && bytes.length > 0);
      (parts.at(-1) as Part).data += bytes.toString("latin1");
    },
    end: (): undefined => {
      assert.ok(open);
      open = false;
    },
  });
  const bytes = Buffer.from(body, "latin1");
  let refusal: Refusal | undefined;
  let at = 0;
  for (const length of [...lengths, bytes.length]) {
    refusal ??= parser.write(bytes.subarray(at, at + length));
    at += length;
  }
  refusal ??= parser.end();
  return refusal === undefined
    ? parts.map(({ head, data }) => [head.name, head.filename, data])
    : refusal.problem.detail;
}

const FIELD = 'Content-Disposition: form-data; name="a"';
const part = (data: string, head = FIELD) => `--b\r\n${head}\r\n\r\n${data}\r\n`;
const assertRefused = (parsed: unknown, why: RegExp, note = "") =>
  assert.match(String(parsed), why, `${note} ${parsed}`);
const headed = (head: string) => parse(`${part("1", head)}--b--`);

describe("a multipart body", () => {
  test("has its parts, in order, names that repeat too", () => {
    assert.deepEqual(
      parse(
        `${part("1")}${part("", 'content-disposition:form-data;NAME=f; filename="x.txt"')}${part("2")}--b--\r\n`,
      ),
      [
        ["a", undefined, "1"],
        ["f", "x.txt", ""],
        ["a", undefined, "2"],
      ],
    );
    assert.deepEqual(parse("--b--"), []);
    assert.deepEqual(parse("--b--\r\n"), []);
  });

  test("is the same wherever it is cut in two", () => {
    const body = `${part("1")}${part("\r\n--")}--b--\r\n`;
    for (let at = 0; at <= body.length; at += 1) {
      assert.deepEqual(parse(body, "b", [at]), [
        ["a", undefined, "1"],
        ["a", undefined, "\r\n--"],
      ]);
    }
  });

  test("may hold anything in its data that is not its delimiter", () => {
    for (const data of [
      "--a",
      "x--b\r\n",
      "\r\n",
      "\r\n--",
      "\r\n--a",
      "\r\r\n--",
      "\n--\nb",
      "-b--",
      "\r\n-",
      "\0\xff",
    ])
      assert.deepEqual(parse(`${part(data)}--b--`), [["a", undefined, data]], JSON.stringify(data));
  });

  test("is read alike however it is cut, for any parts and any cuts", () => {
    const data = fc
      .array(fc.constantFrom("\r", "\n", "-", "--", "\r\n--", "bound", "b", "x", "\0", "\xe9"))
      .map((pieces) => pieces.join(""))
      .filter((text) => !/[\r\n]--bound/.test(`\n${text}`));
    const cuts = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 200 });
    fc.assert(
      fc.property(fc.array(data, { maxLength: 5 }), cuts, (datas, lengths) => {
        const body = datas.map((text) => part(text).replace("--b", "--bound")).join("");

        assert.deepEqual(
          parse(`${body}--bound--\r\n`, "bound", lengths),
          datas.map((text) => ["a", undefined, text]),
        );
      }),
    );
  });

  test("is read or refused alike however it is cut, malformed or not", () => {
    const texts = [
      "--b",
      "--b--",
      "\r\n",
      "\r",
      "\n",
      "-",
      "--",
      "b",
      ":",
      " ",
      "x",
      FIELD,
      "X: y",
      "\r\n\r\n",
    ];
    const soup = fc.array(fc.constantFrom(...texts), { maxLength: 8 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(soup, fc.nat(), fc.array(fc.integer({ min: 0, max: 9 })), (text, at, lengths) => {
        const whole = `${part("1")}${part("2")}--b--`;
        const body = whole.slice(0, at % whole.length) + text + whole.slice(at % whole.length);

        assert.deepEqual(parse(body, "b", lengths), parse(body), JSON.stringify(body));
      }),
      { numRuns: 2000 },
    );
  });

  test("has a line that begins with its boundary for each of its parts and its end, or is refused", () => {
    const insertion = fc.constantFrom(
      "\r\n--b",
      "\r--b",
      "\n--b",
      "--b",
      "--b: x\r\n",
      "\r\n",
      "--b--",
      "X: y\r\n",
      "--bc",
      "x",
    );
    const insertions = fc.array(fc.tuple(fc.nat(), insertion), { minLength: 1, maxLength: 3 });
    const accepted = { count: 0 };
    fc.assert(
      fc.property(insertions, (changes) => {
        let body = `${part("1")}${part("", `${FIELD}; filename=x`)}--b--\r\n`;
        for (const [nat, text] of changes) {
          const at = nat % body.length;
          body = body.slice(0, at) + text + body.slice(at);
        }
        const read = parse(body);
        if (!Array.isArray(read)) return;
        accepted.count += 1;
        assert.equal(body.match(/(?:^|[\r\n])--b/g)?.length, read.length + 1, JSON.stringify(body));
      }),
      { numRuns: 2000 },
    );
    // 70 are usual.
    assert.ok(accepted.count > 20, `${accepted.count}`);
  });

  test("is refused alike however it is cut", () => {
    const bodies = [
      `x${part("1")}--b--`,
      `${part("1")}--bx`,
      `${part("1")}--b--x`,
      part("1"),
      part("1", "X"),
    ];
    fc.assert(
      fc.property(fc.constantFrom(...bodies), fc.array(fc.integer({ min: 0, max: 5 })), (body, lengths) => {
        assert.equal(parse(body, "b", lengths), parse(body));
        assert.equal(typeof parse(body), "string");
      }),
    );
  });

  test("that is cut short is refused, wherever", () => {
    const whole = `${part("1")}${part("2")}--b--`;
    for (let length = 0; length < whole.length; length += 1)
      assertRefused(parse(whole.slice(0, length)), /before its last boundary/, `${length}`);
  });

  test("with something before its first boundary, or behind its last, is refused", () => {
    for (const before of ["\r\n", "x", "preamble\r\n", "-", " "])
      assertRefused(parse(`${before}${part("1")}--b--`), /not begin with its boundary/, before);
    for (const behind of ["x", "\r\n\r\n", "\n", " ", "\r\nx", "-", "\r", `\r\n${part("2")}--b--`])
      assertRefused(parse(`${part("1")}--b--${behind}`), /behind its last boundary/, behind);
  });

  test("with a boundary that is not the line's end is refused", () => {
    for (const line of ["--bc\r\n", "--b \r\n", "--b\n", "--b-\r\n", "--b\r\r\n", "--b\t--"])
      assertRefused(
        parse(`${part("1")}${line}${FIELD}\r\n\r\n2\r\n--b--`),
        /its boundary and goes on/,
        JSON.stringify(line),
      );
    assertRefused(parse(`--B\r\n${FIELD}\r\n\r\n1\r\n--B--`), /not begin with its boundary/);
  });

  test("with its boundary among the headers of a part, or as the first line of its data, is refused", () => {
    for (const body of [
      headed(`${FIELD}\r\n--b: x`),
      headed(`--b--: x\r\n${FIELD}`),
      parse(`${part("--b--")}--b--`),
      ...["\n--b\n", "\r--b", "x\n--b--", "x\r\r--b", "\n\n--bc"].map((data) => parse(`${part(data)}--b--`)),
      parse(`${part("--bc")}--b--`),
      parse(`${part(`--b\r\n${FIELD}\r\n\r\n2`)}--b--`),
      parse(`--b\r\n${FIELD}\r\n\r\n--b--\r\n--b--`),
      parse(`--b\r\n--b\r\n${FIELD}\r\n\r\n2\r\n--b--`),
    ])
      assertRefused(body, /where no part can end/);
  });

  test("with larger headers than may be is refused, before they end", () => {
    const exact = `${FIELD}\r\nX: ${"x".repeat(1000 - FIELD.length - 5)}`;
    const whole = `${part("1", exact)}--b--`;
    for (let at = 0; at <= whole.length; at += 1)
      assert.deepEqual(parse(whole, "b", [at]), [["a", undefined, "1"]], `cut at ${at}`);
    assertRefused(headed(`${exact}x`), /larger than 1000 bytes/);
    assertRefused(parse(`--b\r\n${"x".repeat(2000)}`), /larger than 1000 bytes/);
    assertRefused(parse(`--b\r\n${"x".repeat(2000)}`, "b", Array(2000).fill(1)), /larger than 1000 bytes/);
  });

  test("with a part that has no name is refused", () => {
    for (const head of [
      "",
      "Content-Type: text/plain",
      "Content-Disposition: form-data",
      'Content-Disposition: form-data; name=""',
      'Content-Disposition: attachment; name="a"',
      'Content-Disposition: form-data; name="a',
      'Content-Disposition: form-data; name="a"; name="b"',
      'Content-Disposition: form-data; name="a";',
      'Content-Disposition: form-data;; name="a"',
      'Content-Disposition: form-data; name="a"; \t; filename="x"',
      'Content-Disposition: form-data; name="a"; filename="x"; FileName="y"',
      'Content-Disposition: form-data name="a"',
      "Content-Disposition: form-data; name=a b",
      "Content-Disposition: form-data; filename=x",
      'Content-Disposition: form-data; name="a"\xc2\xa0',
    ])
      assert.match(headed(head) as string, /has no 'Content-Disposition: form-data' with a name/, head);
    assert.match(parse("--b\r\n\r\nx\r\n--b--") as string, /has no/);
  });

  test("with a part that is a file for those alone who read 'filename*' is refused", () => {
    assertRefused(headed("Content-Disposition: form-data; name=a; FileName*=utf-8''x"), /no 'filename'/);
  });

  test("with a header that is malformed, or there twice, is refused", () => {
    for (const line of ["X", "X : y", ": y", " folded", "X: a\rb", "X: a\nb", "X: \0", "X: \x7f", "\tX: y"])
      assertRefused(headed(`${FIELD}\r\n${line}`), /malformed/, JSON.stringify(line));
    for (const line of [FIELD, FIELD.toUpperCase().replace("FORM-DATA", "form-data")])
      assertRefused(headed(`${FIELD}\r\n${line}`), /twice/);
    assertRefused(headed(`${FIELD}\r\nX: \xff`), /not valid UTF-8/);
  });

  test("with parts inside a part, an encoding, or another charset is refused", () => {
    assertRefused(headed(`${FIELD}\r\nContent-Type: Multipart/mixed; boundary=c`), /multipart itself/);
    assertRefused(headed(`${FIELD}; filename=x\r\nContent-Type: multipart/x`), /multipart itself/);
    for (const encoding of ["base64", "quoted-printable", "gzip"])
      assertRefused(headed(`${FIELD}\r\nContent-Transfer-Encoding: ${encoding}`), /transfer encoding/);
    for (const type of ["text/plain; charset=latin1", "text", "text/plain; charset"])
      assertRefused(headed(`${FIELD}\r\nContent-Type: ${type}`), /not in UTF-8/);
    assert.deepEqual(
      headed(`${FIELD}\r\nContent-Type: text/plain; charset="UTF-8"\r\nContent-Transfer-Encoding: 8BIT`),
      [["a", undefined, "1"]],
    );
  });

  test("has names and file names as browsers and other clients write them", () => {
    for (const [parameters, name, filename] of [
      ['name="a b"; filename="caf\xc3\xa9.txt"', "a b", "café.txt"],
      ["name=a;filename=x.txt", "a", "x.txt"],
      ['name="a\\"b"; filename="q\\"\\\\.txt"', 'a"b', 'q"\\.txt'],
      ['name="%22"; filename="C:\\dir\\x.txt"', "%22", "C:\\dir\\x.txt"],
      ["name=a; filename=\"x;y='z'.txt\"; filename*=utf-8''evil.txt", "a", "x;y='z'.txt"],
      ['name="a;"; filename=";;\\";"', "a;", ';;";'],
      ['name="a"; filename=""', "a", ""],
      ['name="a"; filename="x\xe2\x80\xa8y"  ', "a", "x\u2028y"],
    ] as const)
      assert.deepEqual(
        headed(`Content-Disposition: form-data; ${parameters}`),
        [[name, filename, "1"]],
        parameters,
      );
  });
});

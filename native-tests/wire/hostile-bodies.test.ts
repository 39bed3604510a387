// What input promises about hostile clients (SPEC 2.11), on the wire.

import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { describe, test } from "node:test";
import { ingress } from "../support/input-ingress.js";
import { served } from "../support/served.js";
import { get, post, talk } from "../support/wire.js";

const JSON_TYPE = "Content-Type: application/json";
const FORM_TYPE = "Content-Type: application/x-www-form-urlencoded";
const PARTS_TYPE = "Content-Type: multipart/form-data; boundary=b";

/** As the wire has it: a byte a character. */
const bytesOf = (text: string): string => Buffer.from(text).toString("latin1");

describe("hostile bodies and heads", () => {
  const server = served(ingress, { directory: tmpdir() });

  const send = async (request: string, waitMs = 30_000) => {
    // The connection is told to end, so that nobody waits for more.
    const { replies } = await talk(server.address, request.replace("\r\n", "\r\nConnection: close\r\n"), {
      waitMs,
    });
    const [reply] = replies;
    const isJson = reply?.headers["content-type"]?.includes("json") === true;
    return {
      status: reply?.status,
      body: isJson ? JSON.parse(Buffer.from(reply.body, "latin1").toString()) : undefined,
    };
  };
  const body = (target: string, type: string, text: string) =>
    send(post(target, text, type, `Content-Length: ${text.length}`));
  const json = (text: string) => body("/json", JSON_TYPE, text);
  const refusal = async (answer: ReturnType<typeof send>) => {
    const { status, body: problem } = await answer;
    return [status, problem?.code];
  };

  test("JSON above 4 KiB is at most 64 deep, and below as deep as it is large", async () => {
    const padding = JSON.stringify("x".repeat(5000));
    const nested = (depth: number, inside: string) => "[".repeat(depth) + inside + "]".repeat(depth);

    assert.equal((await json(nested(64, padding))).status, 200);
    assert.deepEqual(await refusal(json(nested(65, padding))), [400, "JSON_INVALID"]);
    assert.deepEqual(await refusal(json(`{"a":${nested(64, padding)}}`)), [400, "JSON_INVALID"]);
    assert.equal((await json(nested(1000, ""))).status, 200);
    assert.equal((await json(nested(10, JSON.stringify("[{".repeat(5000))))).status, 200);
  });

  test("bombs are refused, or take no longer than their size", async () => {
    const mib = 1024 * 1024;
    assert.deepEqual(await refusal(json("[".repeat(mib))), [400, "JSON_INVALID"]);
    assert.deepEqual(await refusal(json('{"a":'.repeat(mib / 5))), [400, "JSON_INVALID"]);
    assert.deepEqual(await refusal(json("[".repeat(mib + 1))), [413, "BODY_TOO_LARGE"]);
    const keys = Array.from({ length: 90_000 }, (_, i) => `"k${i}":0`).join(",");
    assert.equal((await json(`{${keys}}`)).status, 200);
    assert.deepEqual(await refusal(body("/form", FORM_TYPE, "&".repeat(mib))), [400, "FORM_INVALID"]);
    assert.deepEqual(await refusal(body("/form", FORM_TYPE, `a${"[b]".repeat(300_000)}=1`)), [
      400,
      "FORM_INVALID",
    ]);
    assert.deepEqual(await refusal(body("/upload", PARTS_TYPE, "--b\r\n".repeat(100_000))), [
      400,
      "MULTIPART_INVALID",
    ]);
    const compressed = post("/json", "x", JSON_TYPE, "Content-Encoding: gzip", "Content-Length: 1");
    assert.deepEqual(await refusal(send(compressed)), [415, "MEDIA_TYPE_UNSUPPORTED"]);
  });

  test("a key __proto__ is refused wherever it stands, and nothing is polluted", async () => {
    for (const text of [
      '{"__proto__":{"polluted":1}}',
      '[[{"a":{"__proto__":{"polluted":1}}}]]',
      '{"\\u005f_proto__":{"polluted":1}}',
      `{"a":"${"x".repeat(5000)}","__proto__":{"polluted":1}}`,
    ])
      assert.deepEqual(await refusal(json(text)), [400, "JSON_INVALID"], text.slice(0, 60));
    for (const text of ["__proto__[polluted]=1", "a[__proto__][polluted]=1", "%5F_proto__=1"])
      assert.deepEqual(await refusal(body("/form", FORM_TYPE, text)), [400, "FORM_INVALID"], text);
    const part = '--b\r\nContent-Disposition: form-data; name="__proto__"\r\n\r\n1\r\n--b--';
    assert.deepEqual(await refusal(body("/upload", PARTS_TYPE, part)), [400, "FORM_INVALID"]);
    assert.equal((await json('{"constructor":{"prototype":{"polluted":1}}}')).status, 200);
    assert.equal((await body("/form", FORM_TYPE, "constructor[prototype][polluted]=1")).status, 200);
    assert.equal((await send(get("/tell?__proto__=1"))).status, 400);
    assert.equal((await send(get("/tell?constructor=2", "Cookie: __proto__=1"))).status, 200);
    assert.equal((await send(get("/facts"))).body.polluted, false);
  });

  test("more than 1000 keys of a query, a form or cookies are refused", async () => {
    const pairs = (count: number, between: string) =>
      Array.from({ length: count }, (_, i) => `k${i}=`).join(between);

    assert.equal((await send(get(`/tell?${pairs(1000, "&")}`))).status, 200);
    assert.deepEqual(await refusal(send(get(`/tell?${pairs(1001, "&")}`))), [400, "PARAMETER_INVALID"]);
    assert.equal((await send(get("/tell", `Cookie: ${pairs(1000, ";")}`))).status, 200);
    assert.deepEqual(await refusal(send(get("/tell", `Cookie: ${pairs(1001, ";")}`))), [
      400,
      "PARAMETER_INVALID",
    ]);
    assert.equal((await body("/form", FORM_TYPE, pairs(1000, "&"))).status, 200);
    assert.deepEqual(await refusal(body("/form", FORM_TYPE, pairs(1001, "&"))), [400, "FORM_INVALID"]);
  });

  test("text that is no UTF-8, or begins with a byte order mark, is refused", async () => {
    for (const bad of ["\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80"]) {
      assert.deepEqual(await refusal(json(`"${bad}"`)), [400, "TEXT_INVALID"], JSON.stringify(bad));
      assert.deepEqual(
        await refusal(body("/form", FORM_TYPE, `a=${bad}`)),
        [400, "TEXT_INVALID"],
        JSON.stringify(bad),
      );
      const escaped = [...bad].map((byte) => `%${byte.charCodeAt(0).toString(16)}`).join("");
      assert.deepEqual(
        await refusal(body("/form", FORM_TYPE, `a=${escaped}`)),
        [400, "FORM_INVALID"],
        escaped,
      );
      assert.deepEqual(await refusal(send(get(`/tell?a=${escaped}`))), [400, "TARGET_INVALID"], escaped);
    }
    assert.deepEqual(await refusal(json("\xef\xbb\xbf1")), [400, "JSON_INVALID"]);
    assert.equal((await json('"\xef\xbb\xbf"')).status, 200);
  });

  test("of a key that JSON has twice the last counts, as for JSON.parse", async () => {
    assert.deepEqual((await json('{"a":1,"b":0,"a":{"c":1,"c":2}}')).body, { a: { c: 2 }, b: 0 });
  });

  test("naughty strings are read back as they were sent, wherever they may stand, or refused", async () => {
    const naughty = [
      "",
      "undefined",
      "NaN",
      "-1e999",
      "\0",
      "\x7f\x1b[2J",
      "\u202etxt.exe",
      "\ufeff",
      "\u2028\u2029",
      "Ω≈ç√∫˜µ≤≥÷",
      "表ポあA鷗ŒéＢ逍Üßªąñ丂㐀𠀀",
      "👩‍👩‍👧‍👦 🏳️‍🌈",
      "́́́".repeat(50),
      "<script>alert(1)</script>",
      "' OR 1=1 --",
      "$\u007bjndi:ldap://a}",
      "{{7*7}}",
      "%s%n%p",
      "../../../etc/passwd",
      "\\\\server\\share",
      'a"b\\"c\\',
      "constructor",
      "a=b&c=d;e",
      "x--b--",
      "\r\nX-Injected: 1",
      "x".repeat(3000),
    ];
    for (const value of naughty) {
      const about = JSON.stringify(value.slice(0, 30));
      const encoded = encodeURIComponent(value);
      const text = bytesOf(JSON.stringify({ [value]: value }));
      assert.deepEqual((await json(text)).body, { [value]: value }, about);
      const formed = await body("/form", FORM_TYPE, `text=${encoded}&${encoded}=1`);
      assert.ok([200, 400].includes(formed.status ?? 0), `${about} ${formed.status}`);
      if (formed.status === 200) assert.equal(formed.body.text, value, about);
      const part = bytesOf(`--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${value}\r\n--b--`);
      assert.deepEqual((await body("/upload", PARTS_TYPE, part)).body.fields, { a: value }, about);
      const named = bytesOf(
        `--b\r\nContent-Disposition: form-data; name="f"; filename="${value.replaceAll('"', '\\"')}"\r\n\r\nx\r\n--b--`,
      );
      const uploaded = await body("/upload", PARTS_TYPE, named);
      assert.ok([200, 400].includes(uploaded.status ?? 0), `${about} ${uploaded.status}`);
      if (uploaded.status === 200) assert.doesNotMatch(uploaded.body.files[0][0], /[/\\\p{Cc}]|^\.*$/u);
      const told = await send(get(`/tell?text=${encoded}`, `Cookie: text=${encoded}`));
      if (!value.includes("\0")) assert.equal(told.body.query.text, value, about);
      if (told.status === 200) assert.equal(told.body.cookie.text ?? "", value, about);
      const sent = value.replace(/[^ -~]/g, "").trim();
      assert.equal((await send(get("/tell", `X-Text: ${sent}`))).body.header["x-text"] ?? "", sent, about);
    }
    assert.deepEqual((await send(get("/facts"))).body.reports, []);
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";

import { Framework } from "framework";
import { TestApp } from "framework/http";
import { put, site, YESTERDAY } from "../../support/site.js";

const text = Array.from({ length: 1000 }, (_, i) => `line ${String(i).padStart(4, "0")}\n`).join("");
const gzipped = gzipSync("gzipped");
const files = site({
  "a.txt": text,
  "empty.txt": "",
  "app.js": "identity",
  "app.js.br": brotliCompressSync("brotli"),
  "app.js.gz": gzipped,
  "style.css": "identity",
  "style.css.gz": gzipped,
});
const date = YESTERDAY.toUTCString();
const later = new Date(YESTERDAY.getTime() + 1000).toUTCString();
const before = new Date(YESTERDAY.getTime() - 1000).toUTCString();

for (const [where, options] of [
  ["in memory", {}],
  ["on the disk", { cache: false }],
] as const) {
  const app = new TestApp(
    Framework.http({ processGuards: false }).serveDir("/", files, { cacheControl: "max-age=5", ...options }),
  );
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) => app.get(path, { headers });
  const statusOf = async (headers: Readonly<Record<string, string>>) => (await get("/a.txt", headers)).status;
  const etagOf = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
    (await get(path, headers)).headers["etag"] ?? "";

  describe(`conditions on a file ${where}`, () => {
    test("are met by its tag and its date", async () => {
      const etag = await etagOf("/a.txt");

      assert.equal(await statusOf({ "if-none-match": etag }), 304);
      assert.equal(await statusOf({ "if-none-match": `"x", W/${etag}` }), 304);
      assert.equal(await statusOf({ "if-none-match": "*" }), 304);
      assert.equal(await statusOf({ "if-none-match": '"x"' }), 200);
      assert.equal(await statusOf({ "if-modified-since": date }), 304);
      assert.equal(await statusOf({ "if-modified-since": later }), 304);
      assert.equal(await statusOf({ "if-modified-since": before }), 200);
      assert.equal(await statusOf({ "if-match": etag }), 200);
      assert.equal(await statusOf({ "if-match": "*" }), 200);
      assert.equal(await statusOf({ "if-match": '"x"' }), 412);
      assert.equal(await statusOf({ "if-match": `W/${etag}` }), 412);
      assert.equal(await statusOf({ "if-unmodified-since": date }), 200);
      assert.equal(await statusOf({ "if-unmodified-since": before }), 412);
    });

    test("count in the order of RFC 9110", async () => {
      const etag = await etagOf("/a.txt");

      assert.equal(await statusOf({ "if-match": etag, "if-unmodified-since": before }), 200);
      assert.equal(await statusOf({ "if-none-match": '"x"', "if-modified-since": later }), 200);
      assert.equal(await statusOf({ "if-match": '"x"', "if-none-match": etag }), 412);
      assert.equal(await statusOf({ "if-match": etag, "if-none-match": etag }), 304);
      assert.equal(await statusOf({ "if-none-match": etag, range: "bytes=0-1" }), 304);
      assert.equal(await statusOf({ "if-match": '"x"', range: "bytes=99999-" }), 412);
    });

    test("count for nothing where they are malformed, but for the one that guards a change", async () => {
      assert.equal(await statusOf({ "if-none-match": "x" }), 200);
      assert.equal(await statusOf({ "if-modified-since": "yesterday" }), 200);
      assert.equal(await statusOf({ "if-unmodified-since": "yesterday" }), 200);
      assert.equal(await statusOf({ "if-match": "x" }), 400);
    });

    test("that find it unmodified are answered with what a cache may write over what it has", async () => {
      const etag = await etagOf("/app.js", { "accept-encoding": "br" });
      const { status, headers, text } = await get("/app.js", {
        "accept-encoding": "br",
        "if-none-match": etag,
      });

      assert.equal(status, 304);
      assert.equal(text, "");
      assert.deepEqual(
        { ...headers, date: undefined },
        { etag, "cache-control": "max-age=5", vary: "accept-encoding", date: undefined },
      );
    });
  });

  describe(`a part of a file ${where}`, () => {
    test("is sent alone, and said to be one", async () => {
      const response = await get("/a.txt", { range: "bytes=10-19" });

      assert.equal(response.status, 206);
      assert.equal(response.text, text.slice(10, 20));
      assert.equal(response.headers["content-range"], "bytes 10-19/10000");
      assert.equal(response.headers["content-length"], "10");
      assert.equal(response.headers["content-type"], "text/plain; charset=utf-8");
      assert.equal(response.headers["etag"], await etagOf("/a.txt"));
      assert.equal(response.headers["last-modified"], date);
      assert.equal((await get("/a.txt", { range: "bytes=-10" })).text, text.slice(-10));
      assert.equal((await get("/a.txt", { range: "bytes=9990-" })).text, text.slice(-10));
    });

    test("is one of several, each with its place", async () => {
      const response = await get("/a.txt", { range: "bytes=0-9, 5000-5009, -10" });
      const [, boundary = ""] =
        /^multipart\/byteranges; boundary=(\w+)$/.exec(response.headers["content-type"] ?? "") ?? [];
      const part = (first: number, last: number): string =>
        `--${boundary}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-range: bytes ${first}-${last}/10000\r\n\r\n${text.slice(first, last + 1)}\r\n`;

      assert.equal(response.status, 206);
      assert.equal(response.text, `${part(0, 9)}${part(5000, 5009)}${part(9990, 9999)}--${boundary}--\r\n`);
      assert.equal(response.headers["content-length"], String(response.bytes.length));
      assert.equal(response.headers["content-range"], undefined);
    });

    test("that is not there is 416, with how long it is", async () => {
      const response = await get("/a.txt", { range: "bytes=10000-" });

      assert.equal(response.status, 416);
      assert.equal(response.headers["content-range"], "bytes */10000");
      assert.equal(response.problem.code, "RANGE_UNSATISFIABLE");
      assert.equal((await get("/empty.txt", { range: "bytes=0-" })).headers["content-range"], "bytes */0");
      assert.equal((await get("/empty.txt", { range: "bytes=-1" })).status, 200);
    });

    test("is the whole where the field is malformed, and for HEAD", async () => {
      assert.equal(await statusOf({ range: "bytes=5-1" }), 200);
      assert.equal(await statusOf({ range: "lines=0-1" }), 200);
      assert.equal((await app.head("/a.txt", { headers: { range: "bytes=0-1" } })).status, 200);
    });

    test("is of what the client has the rest of, or else all is sent", async () => {
      const etag = await etagOf("/a.txt");
      const range = "bytes=0-1";

      assert.equal(await statusOf({ range, "if-range": etag }), 206);
      assert.equal(await statusOf({ range, "if-range": date }), 206);
      for (const ifRange of ['"x"', `W/${etag}`, before, later, "x", `${etag}, "x"`])
        assert.equal(await statusOf({ range, "if-range": ifRange }), 200, ifRange);
      assert.equal(await statusOf({ range: "bytes=99999-", "if-range": '"x"' }), 200, "not 416");
      assert.equal(await statusOf({ "if-range": '"x"' }), 200);
    });

    test("is one of the bytes that are sent where these are compressed", async () => {
      const response = await get("/app.js", { range: "bytes=0-2", "accept-encoding": "gzip" });

      assert.ok(gzipped.subarray(0, 3).equals(response.bytes));
      assert.equal(response.headers["content-encoding"], "gzip");
      assert.equal(response.headers["content-range"], `bytes 0-2/${gzipped.length}`);
    });
  });

  describe(`what is compressed beside a file ${where}`, () => {
    const encodingOf = async (path: string, accept?: string) => {
      const { headers, text, status } = await get(
        path,
        accept === undefined ? {} : { "accept-encoding": accept },
      );
      return `${status} ${headers["content-encoding"] ?? "-"} ${text}`;
    };

    test("is sent to who takes it, and likes it best", async () => {
      assert.equal(await encodingOf("/app.js"), "200 - identity");
      assert.equal(await encodingOf("/app.js", ""), "200 - identity");
      assert.equal(await encodingOf("/app.js", "gzip, deflate, br"), "200 br brotli");
      assert.equal(await encodingOf("/app.js", "gzip"), "200 gzip gzipped");
      assert.equal(await encodingOf("/app.js", "x-gzip"), "200 gzip gzipped");
      assert.equal(await encodingOf("/app.js", "br;q=0.5, gzip"), "200 gzip gzipped");
      assert.equal(await encodingOf("/app.js", "br;q=0, gzip;q=0.1"), "200 gzip gzipped");
      assert.equal(await encodingOf("/app.js", "*"), "200 br brotli");
      assert.equal(await encodingOf("/app.js", "br;q=0.5, identity"), "200 - identity");
      assert.equal(await encodingOf("/app.js", "deflate, zstd"), "200 - identity");
      assert.equal(await encodingOf("/app.js", "identity;q=0, gzip;q=0.001"), "200 gzip gzipped");
      assert.equal(await encodingOf("/style.css", "br, gzip;q=0.5"), "200 gzip gzipped");
      assert.equal(await encodingOf("/a.txt", "br"), `200 - ${text}`);
    });

    test("is not needed to answer who refuses everything", async () => {
      assert.equal(await encodingOf("/app.js", "*;q=0"), "200 - identity");
      assert.equal(await encodingOf("/a.txt", "identity;q=0, br"), `200 - ${text}`);
    });

    test("has a tag of its own, and the type of the file", async () => {
      const tags = await Promise.all(
        ["br", "gzip", ""].map((coding) => etagOf("/app.js", { "accept-encoding": coding })),
      );

      assert.equal(new Set(tags).size, 3);
      assert.match(tags[0] ?? "", /-br"$/);
      const { headers } = await get("/app.js", { "accept-encoding": "br" });
      assert.equal(headers["content-type"], "text/javascript; charset=utf-8");
      assert.equal(
        (await get("/app.js", { "accept-encoding": "gzip", "if-none-match": tags[0] ?? "" })).status,
        200,
      );
    });

    test("is told of wherever there is a choice", async () => {
      for (const accept of ["br", "", "identity"])
        assert.equal(
          (await get("/app.js", { "accept-encoding": accept })).headers["vary"],
          "accept-encoding",
        );
      assert.equal((await get("/a.txt", { "accept-encoding": "br" })).headers["vary"], undefined);
    });

    test("is a file like another where it is asked for itself", async () => {
      assert.equal(
        await encodingOf("/app.js.br", "br"),
        `200 - ${new TextDecoder().decode(brotliCompressSync("brotli"))}`,
      );
    });
  });
}

describe("a compressed file", () => {
  test("alone is no variant of what is not there, and none where it is not wanted", async () => {
    const brotli = brotliCompressSync("brotli");
    const path = site({ "a.js.br": brotli, "b.js": "identity", "b.js.br": brotli });
    const app = new TestApp(
      Framework.http({ processGuards: false })
        .serveDir("/", path)
        .serveDir("/plain", path, { precompressed: false }),
    );
    const headers = { "accept-encoding": "br" };

    assert.equal((await app.get("/a.js", { headers })).status, 404);
    assert.equal((await app.get("/b.js", { headers })).text, "brotli");
    const plain = await app.get("/plain/b.js", { headers });
    assert.equal(plain.text, "identity");
    assert.equal(plain.headers["vary"], undefined);
  });
});

describe("a file behind compression of answers", () => {
  const app = new TestApp(Framework.http({ processGuards: false }).compressionLayer().serveDir("/", files));
  const headers = { "accept-encoding": "br" };

  test("is sent as it is where nothing lies beside it", async () => {
    const { headers: told, text: sent } = await app.get("/a.txt", { headers });

    assert.equal(told["content-encoding"], undefined);
    assert.equal(told["vary"], undefined);
    assert.equal(sent, text);
  });

  test("is what lies beside it where something does", async () => {
    const plain = new TestApp(Framework.http({ processGuards: false }).serveDir("/", files));
    const response = await app.get("/app.js", { headers });

    assert.equal(response.text, "brotli");
    assert.equal(response.headers["etag"], (await plain.get("/app.js", { headers })).headers["etag"]);
    assert.equal(response.headers["vary"], "accept-encoding");
    const { etag = "" } = response.headers;
    assert.equal((await app.get("/app.js", { headers: { ...headers, "if-none-match": etag } })).status, 304);
  });

  test("is sent in parts as it is", async () => {
    const response = await app.get("/a.txt", { headers: { ...headers, range: "bytes=10-19" } });

    assert.equal(response.status, 206);
    assert.equal(response.headers["content-encoding"], undefined);
    assert.equal(response.text, text.slice(10, 20));
  });
});

describe("the date of a file", () => {
  test("that lies ahead is not told", async () => {
    const path = site({});
    const now = Date.UTC(2030, 0, 1);
    put(path, "a.txt", "A", new Date(now + 86_400_000));
    const app = new TestApp(
      Framework.http({ processGuards: false }).serveDir("/", path, { now: () => now + 999 }),
    );

    assert.equal((await app.get("/a.txt")).headers["last-modified"], new Date(now).toUTCString());
  });

  test("is no reason for a part while its second is not over", async () => {
    const path = site({});
    const now = Date.UTC(2030, 0, 1);
    put(path, "a.txt", "ABC", new Date(now));
    const clock = { ms: now + 999 };
    const app = new TestApp(
      Framework.http({ processGuards: false }).serveDir("/", path, { now: () => clock.ms }),
    );
    const headers = { range: "bytes=0-0", "if-range": new Date(now).toUTCString() };

    assert.equal((await app.get("/a.txt", { headers })).status, 200);
    clock.ms += 1;
    assert.equal((await app.get("/a.txt", { headers })).status, 206);
  });
});

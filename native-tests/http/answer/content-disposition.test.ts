import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";
import { Axon, contentDisposition, Framework, isHeaderValue, respond } from "framework";
import { TestApp } from "framework/http";

/** The name that a client of RFC 6266 reads: the extended one, if there is one. */
function readName(header: string): string | undefined {
  const extended = /; filename\*=UTF-8''([\w!#$&+.^`|~%-]+)$/.exec(header);
  if (extended !== null) return decodeURIComponent(extended[1] as string);
  return /; filename="([^"\\]*)"$/.exec(header)?.[1];
}

describe("contentDisposition", () => {
  test("quotes a plain name, and has another form of any other", () => {
    assert.equal(contentDisposition("sales 2026.csv"), 'attachment; filename="sales 2026.csv"');
    assert.equal(contentDisposition("a.pdf", "inline"), 'inline; filename="a.pdf"');
    assert.equal(
      contentDisposition("Übersicht (€).pdf"),
      "attachment; filename=\"_bersicht (_).pdf\"; filename*=UTF-8''%C3%9Cbersicht%20%28%E2%82%AC%29.pdf",
    );
    assert.equal(contentDisposition('a"b%c.txt').split(";")[1], ' filename="a_b_c.txt"');
    assert.equal(readName(contentDisposition('a"b%c.txt')), 'a"b%c.txt');
  });

  test("takes any text of a client: no path, no line, no hidden end", () => {
    assert.equal(readName(contentDisposition("../../etc/passwd")), ".._.._etc_passwd");
    assert.equal(readName(contentDisposition("a\r\nset-cookie: b=1")), "aset-cookie: b=1");
    assert.equal(readName(contentDisposition("invoice\u202efdp.exe")), "invoicefdp.exe");
    assert.equal(contentDisposition("\n"), "attachment");
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (name) => {
        const header = contentDisposition(`x${name}\ud800`);

        assert.match(header, /^[ -~]+$/);
        assert.ok(isHeaderValue(header));
        const read = readName(header) ?? assert.fail(header);
        assert.ok(read.startsWith("x") && read.endsWith("\ufffd"), read);
        assert.doesNotMatch(read, /[/\\\p{Cc}]/u);
      }),
    );
  });

  test("is a header of a response", async () => {
    const headers = { "content-disposition": contentDisposition("Größe.csv") };
    const axon = Axon.start("file").thenFn("file", () => respond({ headers, body: "a" }));
    await using app = new TestApp(Framework.http().get("/", axon));

    assert.equal(readName((await app.get("/")).headers["content-disposition"] ?? ""), "Größe.csv");
  });
});

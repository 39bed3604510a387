import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";

import { files } from "./files.js";
import { ledger, type Sale } from "./ledger.js";

const sale: Sale = { isbn: "978-0", title: 'The "Sea", again', cents: 1250 };
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** So many pages of 1000 sales, and how many were asked for. */
function sales(pages: number) {
  const asked = { pages: 0, signal: undefined as AbortSignal | undefined };
  return {
    asked,
    page: async (after: number, signal: AbortSignal) => {
      asked.signal = signal;
      if (after === pages * 1000) return [];
      asked.pages += 1;
      return Array.from({ length: 1000 }, () => sale);
    },
  };
}

describe("the ledger", () => {
  test("is a line for each sale", async () => {
    const { headers, text } = await new TestApp(ledger(), { Sales: sales(2) }).get("/sales.csv");
    const lines = text.split("\r\n");

    assert.equal(headers["content-type"], "text/csv; charset=utf-8");
    assert.deepEqual(lines.slice(0, 2), ["isbn,title,price", '978-0,"The ""Sea"", again",12.50']);
    assert.equal(lines.length, 2002);
  });

  test("asks for no page that nobody reads, and hears when its reader leaves", async () => {
    const source = sales(100);
    const stream = await new TestApp(ledger(), { Sales: source }).stream("/sales.csv");
    for (let n = 0; n < 10; n += 1) await turn();
    const { pages } = source.asked;
    assert.ok(pages <= 4, `${pages} pages of 30 KB for a reader that takes 64 KiB`);

    stream.leave();
    for (let n = 0; n < 10; n += 1) await turn();
    assert.deepEqual([source.asked.pages, source.asked.signal?.aborted], [pages, true]);
  });
});

describe("streams of all makes", () => {
  test("are answered as they are", async () => {
    const printer = createServer((_, response) => response.end("%PDF"));
    printer.listen(0, "127.0.0.1");
    await once(printer, "listening");
    const app = new TestApp(files(`http://127.0.0.1:${(printer.address() as AddressInfo).port}/`));
    const backup = await app.get("/backup");
    const labels = await app.get("/labels");
    const note = await app.get("/note");
    printer.closeAllConnections();
    printer.close();

    const bytes = readFileSync(new URL("backup.csv", import.meta.url));
    assert.deepEqual([backup.text, backup.headers["content-length"]], [String(bytes), String(bytes.length)]);
    assert.deepEqual([labels.text, labels.headers["content-type"]], ["%PDF", "application/pdf"]);
    assert.deepEqual([note.text, note.headers["content-type"]], ["closed on Mondays", "text/plain"]);
  });
});

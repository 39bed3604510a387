import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { type AuditAnchor, fileAnchor, MemoryAuditSink, sinkAnchor, webhookAnchor } from "framework/audit";

const folder = mkdtempSync(join(tmpdir(), "anchors-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function anchorContract(name: string, open: () => AuditAnchor | Promise<AuditAnchor>): void {
  const checkpoint = (number: number, text = `checkpoint ${number}`) => ({ number, text });

  test(`${name} holds checkpoints in their order, each once`, async () => {
    const anchor = await open();
    assert.equal(await anchor.newest(), undefined);
    for (const number of [1, 2, 2, 1, 3]) await anchor.put(checkpoint(number));

    assert.deepEqual(await anchor.newest(), checkpoint(3));
  });

  test(`${name} refuses another checkpoint of a number, and one that does not follow`, async () => {
    const anchor = await open();
    await anchor.put(checkpoint(1));
    await anchor.put(checkpoint(2));
    for (const bad of [checkpoint(1, "forged"), checkpoint(2, "forged"), checkpoint(4)])
      await assert.rejects(anchor.put(bad), { code: "AUDIT_ANCHOR_CONFLICT" });

    assert.deepEqual(await anchor.newest(), checkpoint(2));
  });
}

describe("an anchor", () => {
  let files = 0;
  const file = () => {
    files += 1;
    return join(folder, `${files}`, "anchor.jsonl");
  };
  anchorContract("in a file", () => fileAnchor(file()));
  anchorContract("in another sink", () => sinkAnchor(new MemoryAuditSink()));
  anchorContract("behind a web hook", async () => {
    const kept = sinkAnchor(new MemoryAuditSink());
    const server = createServer(async (request, response) => {
      if (request.method === "GET") {
        const newest = await kept.newest();
        response.writeHead(newest === undefined ? 404 : 200).end(JSON.stringify(newest));
        return;
      }
      let body = "";
      for await (const piece of request) body += piece;
      try {
        await kept.put(JSON.parse(body));
        response.writeHead(204).end();
      } catch {
        response.writeHead(409).end();
      }
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    after(() => server.close());
    return webhookAnchor(`http://127.0.0.1:${(server.address() as AddressInfo).port}/anchor`);
  });

  test("in a file tells a line that was put there", async () => {
    const path = file();
    const anchor = fileAnchor(path);
    await anchor.put({ number: 1, text: "one" });
    appendFileSync(path, "forged\n");
    assert.deepEqual(await anchor.newest(), { number: 2, text: "forged" });
    appendFileSync(path, '{"number":3,"te');

    assert.equal((await anchor.newest())?.number, 2, "a line that was not written to its end is none");
  });

  test("behind a web hook is an error where it answers an error, something else, or nothing", async () => {
    const answers: Record<string, (end: (status: number, text: string) => void) => void> = {
      "/error": (end) => end(500, "x"),
      "/other": (end) => end(200, "<html>"),
      "/long": (end) => end(200, "x".repeat(100_000)),
      "/never": () => {},
    };
    const server = createServer((request, response) =>
      answers[String(request.url)]?.((status, text) => response.writeHead(status).end(text)),
    );
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    after(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    for (const path of Object.keys(answers))
      await assert.rejects(
        webhookAnchor(`http://127.0.0.1:${port}${path}`, { timeoutMs: 200 }).newest(),
        path,
      );
    await assert.rejects(webhookAnchor(`http://127.0.0.1:${port}/error`).put({ number: 1, text: "x" }), {
      code: "AUDIT_ANCHOR_FAILED",
    });
    assert.throws(() => webhookAnchor("ftp://x"), { code: "CONFIG_INVALID" });
  });
});

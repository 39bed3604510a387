// Answers that end the connection, made while the body still comes: from another process, since in
// one process a client reads them before the reset does its work.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";

import { skipWithout } from "../support/debian-program.js";
import { type ServerProcess, startIngress } from "../support/server-process.js";
import { emptyFolder } from "../support/site.js";

const KB = 1000;
const TIMES = 4;
const JSON_TYPE = { "content-type": "application/json" };

let server: ServerProcess;
before(async () => {
  server = await startIngress("early-answers-ingress.ts");
});
after(() => server.end());

/** What a client of node:http is answered; rejects where it is not. */
function posted(path: string, bytes: number, chunked: boolean): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { ...JSON_TYPE, ...(chunked ? {} : { "content-length": bytes }) };
    const sent = request(`http://${server.address}${path}`, { method: "POST", headers, agent: false });
    sent.on("error", reject).on("response", (response) => {
      response.resume().on("end", () => resolve(response.statusCode ?? 0));
    });
    for (let left = bytes; left > 0; left -= 64 * KB) sent.write(Buffer.alloc(Math.min(left, 64 * KB)));
    sent.end();
  });
}

async function fetched(path: string, bytes: number, chunked: boolean): Promise<number> {
  const body = new Uint8Array(bytes);
  const init = chunked ? { body: new Blob([body]).stream(), duplex: "half" } : { body };
  const response = await fetch(`http://${server.address}${path}`, {
    method: "POST",
    headers: JSON_TYPE,
    ...init,
  } as RequestInit);
  await response.arrayBuffer();
  return response.status;
}

const folder = emptyFolder();

/** As `curl -T -` and `curl --data-binary` send it, without waiting for a 100. */
async function curled(path: string, bytes: number, chunked: boolean): Promise<number> {
  const file = join(folder, String(bytes));
  writeFileSync(file, Buffer.alloc(bytes));
  const framing = chunked ? ["-H", "Transfer-Encoding: chunked"] : [];
  const url = `http://${server.address}${path}`;
  const options = [
    "-sS",
    "-o",
    "/dev/null",
    "-w",
    "%{http_code}",
    "-H",
    "Expect:",
    "-H",
    "Content-Type: application/json",
    ...framing,
  ];
  const { stdout } = await promisify(execFile)("curl", [...options, "--data-binary", `@${file}`, url]);
  return Number(stdout);
}

describe("an answer that ends the connection reaches a client that still sends", () => {
  const cases = [
    { why: "a body above its limit", path: "/size", status: 413, lengths: [200 * KB, 3000 * KB] },
    { why: "no route", path: "/none", status: 404, lengths: [200 * KB, 3000 * KB] },
    { why: "a guard's refusal", path: "/locked", status: 401, lengths: [200 * KB, 3000 * KB] },
  ];
  for (const { why, path, status, lengths } of cases)
    for (const [client, send] of Object.entries({ "node:http": posted, fetch: fetched, curl: curled }))
      test(`of ${client}, with ${why}`, { skip: client === "curl" && skipWithout("curl") }, async () => {
        const statuses: number[] = [];
        for (const bytes of lengths)
          for (const chunked of [false, true])
            for (let n = 0; n < TIMES; n += 1) statuses.push(await send(path, bytes, chunked));

        assert.deepEqual(statuses, Array(lengths.length * 2 * TIMES).fill(status));
      });
});

/** What the server sends until it ends the connection, and after how many milliseconds that was. */
function answered(head: string, body: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const [host, port] = server.address.split(":");
    const socket = connect(Number(port), host);
    socket.setEncoding("latin1").on("data", (text: string) => {
      answer += text;
    });
    socket.on("error", () => {}).on("close", () => resolve(answer));
    socket.write(`${head}\r\nHost: x\r\n`);
    for (const piece of body) socket.write(piece);
  });
}

describe("a body that is not wanted", () => {
  test("is followed by nothing that is run, however it came", async () => {
    const behind = "GET /behind HTTP/1.1\r\nHost: x\r\n\r\n";
    const length = await answered("POST /size HTTP/1.1", [
      `Content-Length: 2000\r\n\r\n${"x".repeat(2000)}${behind}`,
    ]);
    const chunked = await answered("POST /none HTTP/1.1", [
      "Transfer-Encoding: chunked\r\n\r\n",
      `5\r\nhello\r\n0\r\n\r\n${behind}`,
    ]);

    assert.doesNotMatch(length + chunked + server.stdout(), /behind/);
  });

  test("is not waited for beyond its time", async () => {
    const answer = await answered("POST /size HTTP/1.1", ["Content-Length: 2000\r\n\r\nx"]);

    assert.match(answer, /^HTTP\/1.1 413 /);
  });

  test("is not read where it is longer than what is discarded", async () => {
    const answer = await answered("POST /size HTTP/1.1", [`Content-Length: ${5000 * KB}\r\n\r\n`]);
    const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
    const counted = await answered("POST /none HTTP/1.1", [
      "Transfer-Encoding: chunked\r\n\r\n",
      ...Array<string>(65).fill(chunk),
    ]);

    assert.match(answer, /^HTTP\/1.1 413 /);
    assert.match(counted, /^HTTP\/1.1 404 |^$/, "what is in flight may reset the connection");
  });

  test("is not read at all where its framing is refused", async () => {
    const answer = await answered("POST /size HTTP/1.1", ["Host: y\r\nContent-Length: 2000\r\n\r\n"]);

    assert.match(answer, /^HTTP\/1.1 400 /);
  });
});

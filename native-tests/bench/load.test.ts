import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, test } from "node:test";

import { Load } from "#bench/load.js";

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const BUSY = "HTTP/1.1 429 Too Many Requests\r\ncontent-length: 4\r\n\r\nslow";

/** A server whose responses are these, and then the last again and again; "" closes the connection. */
async function loaded(responses: readonly string[], connections = 1) {
  let sent = 0;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => {
      const response = responses[Math.min(sent, responses.length - 1)] as string;
      sent += 1;
      if (response === "") socket.destroy();
      else socket.write(response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const opened = Load.open({
    port,
    method: "GET",
    request: Buffer.from("GET / HTTP/1.1\r\n\r\n"),
    connections,
  });
  return { opened, sent: () => sent, close: () => server.close() };
}

describe("the load on a route", () => {
  test("counts whole responses, each of a request", async () => {
    const { opened, sent, close } = await loaded([OK], 3);
    const load = await opened;
    const before = sent();
    const { requests } = await load.run(20);

    assert.equal(requests, sent() - before);
    assert.ok(requests >= 3, `${requests} requests over 3 connections`);
    const { p50, p99 } = load.latencies();
    assert.ok(p50 > 0 && p99 >= p50);
    load.close();
    close();
  });

  test("is not begun where the first response is an error, whose text it tells", async () => {
    const { opened, close } = await loaded([BUSY]);

    await assert.rejects(opened, /^Error: it responds with 429: slow$/);
    close();
  });

  test("ends where a later response has another status", async () => {
    const { opened, close } = await loaded([OK, OK, BUSY]);
    const load = await opened;

    await assert.rejects(load.run(10_000), /it responds with 429 after 2 responses of 200: slow/);
    close();
  });

  test("ends where the server closes a connection", async () => {
    const { opened, close } = await loaded([OK, ""]);
    const load = await opened;

    await assert.rejects(load.run(10_000), /The server closed a connection/);
    close();
  });
});

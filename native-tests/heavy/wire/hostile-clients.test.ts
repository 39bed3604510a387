import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import fc from "fast-check";

import { pause, until } from "../../support/patience.js";
import { type ServerProcess, startIngress } from "../../support/server-process.js";
import { caughtUp, dial, get, post, statusOf, talk } from "../../support/wire.js";

describe("hostile clients", () => {
  let server: ServerProcess;
  before(async () => {
    server = await startIngress("wire-ingress.ts", { bodyTimeoutMs: 2000 });
  });
  after(() => server.end());

  const facts = async () => {
    const { replies } = await talk(server.address, get("/facts"), { until: 1 });
    return JSON.parse(replies[0]?.body ?? "{}") as { ran: string[]; aborted: number; heap: number };
  };

  test("that send a body too slowly are 408, and their connection ends", async () => {
    const { replies, end } = await talk(server.address, post("/echo", "he", "Content-Length: 5"), {
      waitMs: 30_000,
    });

    assert.deepEqual([replies.map(({ status }) => status), end], [[408], "closed"]);
  });

  test("that go away abort their run: its signal fires and no further step runs", async () => {
    const before = await facts();
    const socket = dial(server.address);
    socket.on("error", () => {});
    socket.write(get("/slow?ms=4000"));
    await caughtUp(server.address);
    socket.resetAndDestroy();
    const ran: string[] = [];
    await until("it is aborted", async () => {
      const afterwards = await facts();
      ran.push(...afterwards.ran);
      return afterwards.aborted === before.aborted + 1;
    });
    await pause(4000);

    assert.deepEqual([...ran, ...(await facts()).ran], []);
  });

  test("that send a second request before a slow answer lose the connection, and the run is aborted", async () => {
    const { replies, end } = await talk(server.address, [get("/slow?ms=5000"), get("/mark/behind")], {
      waitMs: 30_000,
    });

    assert.deepEqual([replies.length, end === "open"], [0, false]);
    assert.deepEqual((await facts()).ran, []);
  });

  test("that send anything at all leave the server alive, for any bytes", async () => {
    const beginnings = fc.constantFrom(
      "",
      "GET / HTTP/1.1\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\n",
      "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n",
      "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
      "POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n",
    );
    const noise = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString("latin1"));
    await fc.assert(
      fc.asyncProperty(beginnings, noise, async (beginning, bytes) => {
        await talk(server.address, [beginning, bytes], { waitMs: 5, pauseMs: 1 });

        assert.ok(server.alive());
      }),
      { numRuns: 300 },
    );
    assert.equal(await statusOf(server.address, get("/")), 200);
  });

  test("that send naughty values get an answer, and the server lives", async () => {
    const naughty = [
      "__proto__",
      "constructor",
      "$\u007bjndi:ldap://a}",
      "<script>alert(1)</script>",
      "' OR 1=1 --",
      "%s%n",
      "../../etc/passwd",
      "\x7f\x1b[2J",
      "undefined",
      "NaN",
      "{{7*7}}",
      "\xff\xfe",
    ];
    for (const value of naughty) {
      for (const request of [
        get(`/mark/${encodeURIComponent(value)}`),
        get(`/?${encodeURIComponent(value)}=1`),
        get("/", `X-Naughty: ${value.replace(/[^ -~]/g, "")}`),
        post(
          "/json",
          JSON.stringify({ [value]: value }),
          "Content-Type: application/json",
          `Content-Length: ${Buffer.byteLength(JSON.stringify({ [value]: value }))}`,
        ),
      ]) {
        const status = await statusOf(server.address, request, { waitMs: 60 });

        assert.ok(typeof status === "number" || status !== "reset", `${value}: ${status}`);
      }
    }
    assert.equal(await statusOf(server.address, get("/")), 200);
  });

  test("that abort by the ten thousands leave no memory behind", async () => {
    const { heap } = await facts();
    const count = 20_000;
    const kinds = [
      get("/slow?ms=3000"),
      post("/echo", "he", "Content-Length: 5"),
      post("/json", "{", "Transfer-Encoding: chunked"),
      "GET / HTTP/1.1\r\nHost",
    ];
    for (let i = 0; i < count; i += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, j) => abortOne(kinds[j % kinds.length] as string)));
    }
    // The promises of aborted runs are let go when their steps are done.
    await until(`no memory is left of ${count}`, async () => (await facts()).heap - heap < 4 * 1024 * 1024);
  });

  async function abortOne(request: string): Promise<void> {
    const socket = dial(server.address);
    await new Promise<void>((resolve) => {
      socket.on("error", () => {});
      socket.on("close", () => resolve());
      socket.on("connect", () => socket.write(request, () => setTimeout(() => socket.resetAndDestroy(), 2)));
    });
  }

  test("that are slow by the hundred leave the others as they were", async () => {
    const slow = Array.from({ length: 200 }, (_, i) => {
      const socket = dial(server.address);
      socket.on("error", () => {});
      socket.write(
        i % 2 === 0
          ? "GET / HTTP/1.1\r\nHo"
          : "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nx",
      );
      return socket;
    });
    await caughtUp(server.address);
    // How long they wait is for `npm run slow-clients` to measure.
    for (let i = 0; i < 100; i += 1)
      assert.equal(await statusOf(server.address, get("/", "Connection: close")), 200);
    for (const socket of slow) socket.destroy();
  });
});

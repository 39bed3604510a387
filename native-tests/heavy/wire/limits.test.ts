import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { pause, until } from "../../support/patience.js";
import { type ServerProcess, startIngress } from "../../support/server-process.js";
import { caughtUp, dial, get, post, statusOf, talk } from "../../support/wire.js";

const started: ServerProcess[] = [];

async function start(options: object, env: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startIngress("limits-ingress.ts", options, env);
  started.push(server);
  return server;
}

after(() => Promise.all(started.map((server) => server.end())));

describe("the hosts of a server", () => {
  let server: ServerProcess;
  before(async () => {
    server = await start({ allowedHosts: ["example.org", "*.example.org", "[::1]:8080"] });
  });
  const asked = (...hosts: readonly string[]) =>
    talk(server.address, hosts.map((host) => `GET /whoami HTTP/1.1\r\nHost: ${host}\r\n\r\n`).join(""));

  test("are answered, on one connection", async () => {
    const { replies, end } = await asked("example.org", "a.example.org:80", "[0::1]:8080", "EXAMPLE.ORG.");

    assert.deepEqual([replies.map(({ status }) => status), end], [[200, 200, 200, 200], "open"]);
  });

  test("are the only ones: others are 421, end the connection, and nothing behind them is run", async () => {
    for (const host of ["example.com", "127.0.0.1", "[::1]", "example.org.evil"]) {
      const { replies, end } = await asked(host);
      const behind = await asked(host, "example.org");

      assert.deepEqual([replies.map(({ status }) => status), end], [[421], "closed"], host);
      assert.equal(JSON.parse(replies[0]?.body ?? "").code, "HOST_UNSERVED");
      assert.ok(!behind.raw.includes(" 200 "), behind.raw);
    }
  });

  test("are not told from others by a malformed one, which is 400", async () => {
    const { replies, end } = await asked("example.org:80@evil");

    assert.deepEqual([replies.map(({ status }) => status), end], [[400], "closed"]);
  });
});

describe("the head of a request", () => {
  test("may be as long as its limit says, and is the engine's 431 above it", async () => {
    const { address } = await start({ headLimitBytes: 2048, targetLimitBytes: 100 });
    const statusWith = async (length: number) => {
      const { replies, end } = await talk(address, get("/whoami", `X: ${"x".repeat(length)}`));
      return [replies[0]?.status, replies[0]?.headers["content-type"], end];
    };

    assert.deepEqual(await statusWith(1900), [200, "application/json", "open"]);
    assert.deepEqual(await statusWith(2100), [431, undefined, "closed"]);
  });

  test("has a target as long as its limit says, and is 414 above it", async () => {
    const { address } = await start({ targetLimitBytes: 100 });
    const asked = async (length: number) => {
      const { replies, end } = await talk(address, get(`/whoami?${"x".repeat(length - "/whoami?".length)}`));
      return [replies[0]?.status, end];
    };

    assert.deepEqual(await asked(100), [200, "open"]);
    assert.deepEqual(await asked(101), [414, "closed"]);
  });
});

describe("the connections of a server", () => {
  test("are as many as may be: a newcomer is closed, and let in when another has left", async () => {
    const server = await start({ maxConnections: 3 });
    const { address } = server;
    const guests = [dial(address), dial(address), dial(address)];
    await pause(100);
    const turnedAway = await Promise.all([1, 2, 3, 4].map(() => statusOf(address, get("/whoami"))));
    guests[0]?.destroy();
    await until("one is let in", async () => (await statusOf(address, get("/whoami"))) === 200);
    for (const guest of guests) guest.destroy();

    assert.deepEqual(
      [...new Set(turnedAway)].filter((how) => how !== "closed" && how !== "reset"),
      [],
    );
    const reports = server.log().match(/"CONNECTIONS_FULL"/g) ?? [];
    assert.equal(reports.length, 1, server.log());
  });

  test("are counted as they end, however that is", async () => {
    const { address } = await start({ maxConnections: 5 });
    for (let round = 0; round < 10; round += 1) {
      const all = Array.from({ length: 20 }, (_, i) => {
        const socket = dial(address).on("error", () => {});
        if (i % 2 === 0) socket.write(get("/slow?ms=50"));
        return socket;
      });
      await pause(20);
      for (const [i, socket] of all.entries()) i % 3 === 0 ? socket.resetAndDestroy() : socket.destroy();
      await pause(20);
    }

    await until("five are let in again", async () => {
      const guests = await Promise.all([1, 2, 3, 4, 5].map(() => statusOf(address, get("/slow?ms=50"))));
      return guests.every((status) => status === 200);
    });
  });
});

describe("the requests in flight", () => {
  let server: ServerProcess;
  before(async () => {
    server = await start({ maxInFlight: 2 });
  });

  /** What is answered while these two are in flight, and after they have ended. */
  async function answersBeside(...requests: readonly string[]): Promise<readonly unknown[]> {
    const sockets = requests.map((request) => {
      const socket = dial(server.address).on("error", () => {});
      socket.write(request);
      return socket;
    });
    await caughtUp(server.address, "/whoami");
    const { replies, end } = await talk(server.address, [get("/whoami"), get("/none")], {
      until: 2,
      lingerMs: 100,
    });
    for (const socket of sockets) socket.destroy();
    await until("they have ended", async () => (await statusOf(server.address, get("/whoami"))) === 200);
    return [...replies.map(({ status }) => status), replies[0]?.headers["retry-after"], end];
  }
  const full = [503, 503, "1", "open"];

  test("are as many as may be, waiting runs: the next one is 503, and told when to come again", async () => {
    assert.deepEqual(await answersBeside(get("/slow?ms=9000"), get("/slow?ms=9000")), full);
    assert.deepEqual(await answersBeside(get("/slow?ms=9000")), [200, 404, undefined, "open"]);
  });

  test("are also those whose body is arriving", async () => {
    const body = post("/echo", "he", "Content-Length: 5");

    assert.deepEqual(await answersBeside(body, body), full);
  });

  test("are also those whose answer is not taken", async () => {
    const sockets = [dial(server.address), dial(server.address)];
    for (const socket of sockets) socket.pause().write(get("/big"));
    await caughtUp(server.address, "/whoami");
    const { replies } = await talk(server.address, get("/whoami"), { until: 1 });
    for (const socket of sockets) socket.destroy();

    assert.equal(replies[0]?.status, 503);
    assert.equal(JSON.parse(replies[0]?.body ?? "").code, "OVERLOADED");
  });

  test("end the connection of one above them whose body nobody wants", async () => {
    const sockets = [dial(server.address), dial(server.address)];
    for (const socket of sockets) socket.write(get("/slow?ms=9000"));
    await caughtUp(server.address, "/whoami");
    const { replies, end } = await talk(server.address, post("/echo", "x", "Content-Length: 9999999"), {
      waitMs: 30_000,
    });
    for (const socket of sockets) socket.destroy();

    assert.deepEqual([replies.map(({ status }) => status), end], [[503], "closed"]);
  });
});

describe("the time of a route", () => {
  let server: ServerProcess;
  before(async () => {
    server = await start({ routeTimeoutMs: 500 });
  });
  const aborted = async () => {
    const { replies } = await talk(server.address, get("/aborted"));
    return JSON.parse(replies[0]?.body ?? "{}").aborted as number;
  };

  test("ends with 504, its run is aborted, and the connection goes on", async () => {
    const before = await aborted();
    const { replies, end } = await talk(server.address, [get("/hasty?ms=4000"), get("/whoami")], {
      after: [0, 1],
      until: 2,
      lingerMs: 100,
    });

    assert.deepEqual([replies.map(({ status }) => status), end], [[504, 200], "open"]);
    const problem = JSON.parse(replies[0]?.body ?? "");
    assert.deepEqual([problem.code, problem.instance], ["ROUTE_TIMEOUT", "/hasty"]);
    assert.equal(await aborted(), before + 1);
  });

  test("ends while a guard has not decided, and the body that nobody read is not taken for a request", async () => {
    const lie = get("/whoami");
    const { replies, end } = await talk(
      server.address,
      [post("/guarded", lie, `Content-Length: ${lie.length * 2}`), lie, get("/none")],
      { after: [0, 1, 1], until: 2, lingerMs: 100 },
    );

    assert.deepEqual([replies.map(({ status }) => status), end], [[504, 404], "open"]);
  });

  test("ends while its body is read as it arrives, and what is left of the run is not reported", async () => {
    const { replies, end } = await talk(
      server.address,
      [post("/stream", "abc", "Content-Length: 10"), "defghij", get("/none")],
      { after: [0, 1, 1], until: 2, lingerMs: 100 },
    );

    assert.deepEqual([replies.map(({ status }) => status), end], [[504, 404], "open"]);
    assert.ok(!server.log().includes("TRANSITION_PANIC"), server.log());
  });

  test("is its own, or else the ingress's", async () => {
    const [patient, slow, quick] = await Promise.all(
      ["/patient?ms=1500", "/slow?ms=3000", "/slow?ms=100"].map((target) =>
        statusOf(server.address, get(target), { until: 1 }),
      ),
    );

    assert.deepEqual([patient, slow, quick], [200, 504, 200]);
  });

  test("does not keep the request in flight", async () => {
    const full = await start({ routeTimeoutMs: 250, maxInFlight: 1 });
    const status = await statusOf(full.address, get("/slow?ms=60000"), { until: 1 });

    assert.deepEqual([status, await statusOf(full.address, get("/slow?ms=10"))], [504, 200]);
  });
});

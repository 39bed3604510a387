// Answers that come piece by piece, against clients that are slow, in a hurry or gone.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { after, before, describe, test } from "node:test";

import { until } from "../../support/patience.js";
import { moduleOf } from "../../support/root.js";
import { type ServerProcess, startIngress } from "../../support/server-process.js";
import { dial, get, post, talk } from "../../support/wire.js";

const MIB = 1024 * 1024;
const PIECE = 65_536;

interface Facts {
  readonly sources: Readonly<Record<string, { pulled: number; ended: number; told: number }>>;
  readonly reports: readonly { code: string; error: string; axon: string; requestId: string }[];
  readonly memory: number;
  readonly rss: number;
}

/** The body of chunks as far as it came, and whether it came to its end. */
function dechunked(raw: string): { readonly body: string; readonly isWhole: boolean; readonly rest: string } {
  let rest = raw.slice(raw.indexOf("\r\n\r\n") + 4);
  let body = "";
  for (;;) {
    const line = rest.indexOf("\r\n");
    const size = Number.parseInt(rest.slice(0, line), 16);
    if (line < 0 || Number.isNaN(size)) return { body, isWhole: false, rest };
    body += rest.slice(line + 2, line + 2 + size);
    rest = rest.slice(line + 4 + size);
    if (size === 0) return { body, isWhole: true, rest };
  }
}

/** Sends a request and reads everything until the server closes. */
async function all(socket: Socket): Promise<string> {
  let raw = "";
  socket.on("error", () => {});
  socket.on("data", (data) => {
    raw += data.toString("latin1");
  });
  await new Promise((resolve) => {
    for (const event of ["end", "error", "close"]) socket.once(event, resolve);
  });
  socket.destroy();
  return raw;
}

describe("answers that come piece by piece", () => {
  let server: ServerProcess;
  before(async () => {
    server = await startIngress("streams-ingress.ts");
  });
  after(() => server.end());

  let names = 0;
  /** A feed of "abc" three times, or of 64 KiB where the text is "". */
  const named = (path: string, query: Record<string, string | number> = {}) => {
    names += 1;
    const name = `source-${names}`;
    const given = { pieces: 3, text: "abc", ...query };
    const asked = Object.entries(given).filter(([, value]) => value !== "");
    return {
      name,
      target: `${path}?name=${name}${asked.map(([key, value]) => `&${key}=${value}`).join("")}`,
    };
  };
  async function facts(): Promise<Facts> {
    const { replies } = await talk(server.address, get("/facts"), { until: 1 });
    return JSON.parse(replies[0]?.body ?? "null") as Facts;
  }
  const sourceOf = async (name: string) => (await facts()).sources[name] ?? { pulled: 0, ended: 0, told: 0 };
  const reportsOf = async (axon: string) => (await facts()).reports.filter((report) => report.axon === axon);
  const url = (target: string) => `http://${server.address}${target}`;

  test("are chunked, and the connection stays for the next request", async () => {
    for (const path of ["/feed", "/late"]) {
      const { target, name } = named(path);
      const socket = dial(server.address);
      socket.write(get(target));
      let raw = "";
      socket.on("data", (data) => {
        raw += data.toString("latin1");
      });
      await until("it is whole", () => dechunked(raw).isWhole);
      assert.equal(dechunked(raw).body, "abcabcabc");
      socket.write(get("/after"));
      await until("the next one is answered", () => raw.endsWith("after"));
      socket.destroy();

      assert.match(raw, /^HTTP\/1\.1 200 OK\r\n/);
      assert.match(raw, /\r\ntransfer-encoding: chunked\r\n/i);
      assert.match(raw, /\r\nx-request-id: [0-9a-f-]{36}\r\n/i);
      assert.deepEqual(await sourceOf(name), { pulled: 3, ended: 1, told: 0 });
    }
  });

  test("come as they are made, and not all at the end", async () => {
    const { target, name } = named("/feed", { hangsAfter: 1 });
    const socket = dial(server.address);
    socket.write(get(target));
    const [first] = (await once(socket, "data")) as [Buffer];

    assert.match(first.toString(), /abc/);
    socket.destroy();
    await until("its source has ended", async () => (await sourceOf(name)).ended === 1);
  });

  test("have a length where it was said", async () => {
    const { target } = named("/feed", { length: 9 });
    const { replies, end } = await talk(server.address, [get(target), get("/after")], { until: 2 });

    assert.deepEqual([replies[0]?.headers["content-length"], replies[0]?.body], ["9", "abcabcabc"]);
    assert.deepEqual([replies[1]?.body, end], ["after", "open"]);
  });

  test("are read whole by fetch, 50 MB of them", async () => {
    const { target, name } = named("/feed", { pieces: 800, text: "" });
    const { byteLength } = await (await fetch(url(target))).arrayBuffer();

    assert.equal(byteLength, 800 * PIECE);
    assert.deepEqual(await sourceOf(name), { pulled: 800, ended: 1, told: 0 });
  });

  test("are empty where nothing comes", async () => {
    const { replies, end } = await talk(server.address, get(named("/feed", { pieces: 0 }).target), {
      until: 1,
    });

    assert.deepEqual([replies[0]?.status, replies[0]?.headers["content-length"], end], [200, "0", "open"]);
  });

  test("may be a file", async () => {
    const text = await (await fetch(url("/file"))).text();

    assert.equal(text, readFileSync(moduleOf("native-tests/support/streams-ingress.ts"), "utf8"));
  });

  test("of a file that is not there are 500, and the process lives on", async () => {
    const { status } = await fetch(url("/missing-file"));

    assert.equal(status, 500);
    assert.match((await reportsOf("missing-file"))[0]?.error ?? "", /ENOENT/);
    assert.ok(server.alive());
  });

  test("that fail halfway are cut so that every client can tell, and reported with the client's id", async () => {
    for (const length of ["", 9]) {
      const { target, name } = named("/feed", { failsAfter: 1, length });
      const known = (await reportsOf("feed")).length;
      const socket = dial(server.address);
      socket.write(get(target));
      const raw = await all(socket);

      assert.match(raw, /^HTTP\/1\.1 200 OK\r\n/);
      if (length === "") {
        const { body, isWhole } = dechunked(raw);
        assert.deepEqual([body, isWhole], ["abc", false]);
      } else assert.ok(raw.endsWith("\r\n\r\nabc"));
      const [report] = (await reportsOf("feed")).slice(known);
      const [, id] = /x-request-id: (\S+)/.exec(raw) ?? [];
      assert.deepEqual(
        [report?.code, report?.error, report?.requestId],
        ["STREAM_FAILED", "Error: the source fails", id],
      );
      await assert.rejects(
        fetch(url(named("/feed", { failsAfter: 1, length }).target)).then((r) => r.text()),
      );
      await until("its run's signal tells", async () => (await sourceOf(name)).told === 1);
    }
  });

  test("that are not as long as they said are cut before they could pass for whole", async () => {
    for (const [length, received] of [
      [10, "abcabcabc"],
      [8, "abcabc"],
    ] as const) {
      const { target, name } = named("/feed", { length });
      const known = (await reportsOf("feed")).length;
      const socket = dial(server.address);
      socket.write(get(target));
      const raw = await all(socket);

      assert.equal(raw.slice(raw.indexOf("\r\n\r\n") + 4), received);
      assert.match((await reportsOf("feed"))[known]?.error ?? "", /^LengthError: A stream of \d+ bytes/);
      await until("its source has ended", async () => (await sourceOf(name)).ended === 1);
    }
  });

  test("end their source where the client goes away, whatever it is at", async () => {
    for (const path of ["/feed", "/late"])
      for (const [what, query] of [
        ["waits for the client", { pieces: 1600, text: "" }],
        ["waits for something else", { hangsAfter: 1 }],
        ["has given nothing yet", { hangsAfter: 0 }],
      ] as const) {
        const { target, name } = named(path, query);
        const socket = dial(server.address);
        socket.pause();
        socket.write(get(target));
        await until(`the source ${what}`, async () => {
          const before = await facts();
          if (before.sources[name] === undefined) return false;
          const { pulled } = await sourceOf(name);
          return pulled === before.sources[name].pulled && (pulled > 0 || what === "has given nothing yet");
        });
        socket.destroy();

        await until(`a source that ${what} has ended`, async () => (await sourceOf(name)).ended === 1);
        assert.equal((await sourceOf(name)).told, 1, `the run's signal tells a source that ${what}`);
      }
  });

  test("pull no more of their source than a client takes, and go on when it does", async () => {
    for (const length of ["", 800 * PIECE]) {
      const before = await facts();
      const { target, name } = named("/feed", { pieces: 800, text: "", length });
      const socket = dial(server.address);
      let received = 0;
      socket.on("data", (data) => {
        received += data.length;
      });
      socket.pause();
      socket.write(get(target));
      await until("it pulls no more", async () => {
        const { pulled } = await sourceOf(name);
        return pulled > 0 && pulled === (await sourceOf(name)).pulled;
      });
      const { pulled } = await sourceOf(name);
      const { memory } = await facts();
      socket.resume();
      await until("all of it has come", () => received > 800 * PIECE);

      // What the sockets of both sides hold on one machine.
      assert.ok(pulled < 300, `${pulled} pieces of 800`);
      assert.ok(memory - before.memory < 2 * MIB, `${memory - before.memory} bytes`);
      await until("its source has ended", async () => (await sourceOf(name)).ended === 1);
      socket.destroy();
    }
  });

  test("end their source where a client takes nothing for too long", async () => {
    const { target, name } = named("/feed", { pieces: 1600, text: "" });
    const socket = dial(server.address);
    socket.pause();
    socket.write(get(target));
    await until("its source has ended", async () => (await sourceOf(name)).ended === 1);
    socket.destroy();

    assert.deepEqual([(await sourceOf(name)).told, (await sourceOf(name)).pulled < 300], [1, true]);
  });

  test("have a head alone for HEAD, and nothing is pulled", async () => {
    for (const length of ["", 9]) {
      const { target, name } = named("/feed", { length });
      const { replies, end } = await talk(
        server.address,
        [get(target).replace("GET", "HEAD"), get("/after")],
        { until: 2, heads: [0] },
      );

      assert.deepEqual(
        [replies[0]?.status, replies[0]?.headers["content-length"]],
        [200, length === "" ? undefined : "9"],
      );
      assert.deepEqual([replies[1]?.body, end], ["after", "open"]);
      assert.deepEqual(await sourceOf(name), { pulled: 0, ended: 0, told: 0 });
    }
  });

  test("to a chunked request end the connection, and nothing behind it is run", async () => {
    const chunked = post("/uploaded", "3\r\nabc\r\n0\r\n\r\n", "Transfer-Encoding: chunked");
    const socket = dial(server.address);
    socket.write(chunked);
    const raw = await all(socket);
    assert.match(raw, /\r\nconnection: close\r\n/i);
    assert.deepEqual(dechunked(raw), { body: "3;3;3;", isWhole: true, rest: "" });

    const behind = named("/feed");
    const pipelining = dial(server.address);
    pipelining.write(chunked + get(behind.target));
    await all(pipelining);
    assert.deepEqual(await sourceOf(behind.name), { pulled: 0, ended: 0, told: 0 });
  });

  test("are in the access log with what was handed over", async () => {
    const whole = named("/logged");
    const failed = named("/logged", { failsAfter: 1 });
    await (await fetch(url(whole.target))).text();
    await assert.rejects(fetch(url(failed.target)).then((r) => r.text()));
    const lines = () =>
      server
        .stdout()
        .split("\n")
        .filter((line) => line.includes('"/logged"'))
        .map((line) => JSON.parse(line) as { status: number; bytes: number; aborted?: boolean });
    await until("both are logged", () => lines().length >= 2);

    assert.deepEqual(
      lines().map(({ status, bytes }) => [status, bytes]),
      [
        [200, 9],
        [200, 3],
      ],
    );
  });
});

describe("the time limit of a route", () => {
  test("is about the first piece, and answered 504 where there is none", async () => {
    const server = await startIngress("streams-ingress.ts", { routeMs: 1000 });
    for (const path of ["feed", "late"]) {
      const asked = `/${path}?name=${path}&pieces=3&text=abc`;
      const { replies, end } = await talk(server.address, get(`${asked}&hangsAfter=0`), { until: 1 });
      const facts = async () =>
        (await (await fetch(`http://${server.address}/facts`)).json()) as Pick<Facts, "sources">;

      assert.deepEqual([replies[0]?.status, end], [504, "open"]);
      await until("its source has ended", async () => (await facts()).sources[path]?.ended === 1);
      assert.equal((await facts()).sources[path]?.told, 1);
      // As long as it likes, once it has begun.
      assert.equal(await (await fetch(`http://${server.address}${asked}&pauseMs=600`)).text(), "abcabcabc");
    }
    await server.end();
  });
});

describe("a server that stops", () => {
  test("waits for answers that come piece by piece, and ends their connections", async () => {
    const server = await startIngress("streams-ingress.ts");
    const socket = dial(server.address);
    socket.write(get("/feed?name=a&pieces=30&text=abc&pauseMs=50"));
    await once(socket, "data");
    const whole = all(socket);
    const stopped = server.stop("SIGTERM");

    assert.equal(await stopped, 0);
    assert.ok((await whole).endsWith("\r\n0\r\n\r\n"));
  });
});

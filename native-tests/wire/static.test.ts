// Files over sockets: what becomes of descriptors and memory where clients are slow or gone,
// and files change while they are sent. static-paths.test.ts has what hostile targets get.

import assert from "node:assert/strict";
import { once } from "node:events";
import { closeSync, ftruncateSync, openSync, truncateSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";

import { until } from "../support/patience.js";
import { served } from "../support/served.js";
import { site } from "../support/site.js";
import { ingress } from "../support/static-ingress.js";
import { dial, get, talk } from "../support/wire.js";

const MIB = 1024 * 1024;

interface Facts {
  readonly openFiles: number;
  readonly reports: readonly string[];
}

describe("files over a socket", () => {
  const root = site({ "a.txt": "A", "sub/b.txt": "B" });
  const server = served(ingress, { folder: root });

  const facts = async (): Promise<Facts> => {
    const { replies } = await talk(server.address, get("/facts"), { until: 1 });
    return JSON.parse(replies[0]?.body ?? "null") as Facts;
  };
  const open = async (): Promise<number> => (await facts()).openFiles;
  const large = (name: string, bytes: number): string => {
    const file = join(root, name);
    const fd = openSync(file, "w");
    ftruncateSync(fd, bytes);
    closeSync(fd);
    return file;
  };

  /** Asks for a file and reads no further than its head. */
  async function begun(target: string): Promise<Socket> {
    const socket = dial(server.address);
    socket.on("error", () => {});
    socket.write(get(target));
    await once(socket, "readable");
    return socket;
  }

  /** One answer of `enough` bytes: what its head says of its length, and the bytes. */
  async function answered(socket: Socket, enough: number) {
    const pieces: Buffer[] = [];
    let [length, headEnd] = [0, -1];
    while (headEnd < 0 || length < headEnd + enough) {
      const piece = (socket.read() as Buffer | null) ?? undefined;
      if (piece === undefined) {
        await once(socket, "readable");
        continue;
      }
      pieces.push(piece);
      length += piece.length;
      if (headEnd >= 0) continue;
      const received = Buffer.concat(pieces);
      headEnd = received.indexOf("\r\n\r\n") < 0 ? -1 : received.indexOf("\r\n\r\n") + 4;
    }
    const whole = Buffer.concat(pieces);
    const told = /content-length: (\d+)/i.exec(whole.toString("latin1", 0, headEnd))?.[1];
    return { length: Number(told), bytes: whole.subarray(headEnd) };
  }

  /** What comes until the connection ends, or so many bytes have. */
  async function rest(socket: Socket, enough = Number.POSITIVE_INFINITY): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let length = 0;
    await new Promise<void>((resolve) => {
      socket.on("data", (piece) => {
        pieces.push(piece);
        length += piece.length;
        if (length >= enough) resolve();
      });
      socket.on("end", resolve);
      socket.on("error", () => resolve());
      socket.on("close", () => resolve());
    });
    socket.destroy();
    return Buffer.concat(pieces);
  }

  test("are sent whole where they are large, and the connection goes on", async () => {
    const bytes = Buffer.alloc(3 * MIB, "0123456789abcdef");
    writeFileSync(join(root, "three.bin"), bytes);
    const socket = dial(server.address);
    socket.write(get("/static/three.bin"));
    const head = await answered(socket, bytes.length);
    // Behind an answer that takes its time the engine takes no request.
    socket.write(get("/static/a.txt"));
    const next = await answered(socket, 1);
    socket.destroy();

    assert.ok(head.bytes.equals(bytes));
    assert.equal(next.bytes.toString(), "A");
    await until("none is open", async () => (await open()) === 0);
  });

  test("are sent in parts where they are large", async () => {
    const bytes = Buffer.from(Array.from({ length: 400_000 }, (_, i) => String(i).padStart(7, "0")).join());
    writeFileSync(join(root, "counted.txt"), bytes);
    const ranges = [
      [5, 5],
      [300_000, 900_000],
      [3_000_000, 3_199_998],
    ] as const;
    const field = `Range: bytes=${ranges.map(([first, last]) => `${first}-${last}`)}`;
    const { replies } = await talk(server.address, get("/static/counted.txt", field), { until: 1 });
    const [reply] = replies;
    const boundary = /boundary=(\w+)/.exec(reply?.headers["content-type"] ?? "")?.[1] ?? "";
    const parts = (reply?.body ?? "").split(`--${boundary}`);

    assert.equal(reply?.status, 206);
    assert.equal(parts.length, 5);
    for (const [i, [first, last]] of ranges.entries()) {
      const [head = "", body = ""] = (parts[i + 1] ?? "").split(/\r\n\r\n(.*)/s);
      assert.ok(head.includes(`content-range: bytes ${first}-${last}/${bytes.length}`));
      assert.ok(body.slice(0, -2) === bytes.toString("latin1", first, last + 1));
    }
    await until("none is open", async () => (await open()) === 0);
  });

  test("are closed when their clients go", async () => {
    large("huge.bin", 200 * MIB);
    const sockets = await Promise.all(Array.from({ length: 50 }, () => begun("/static/huge.bin")));
    await until("all of them are being sent", async () => (await open()) === 50);

    for (const socket of sockets) socket.destroy();
    await until("none is open", async () => (await open()) === 0);
    assert.deepEqual((await facts()).reports, []);
  });

  test("are closed when their clients go before they have anything", async () => {
    large("hasty.bin", 200 * MIB);
    for (let turn = 0; turn < 10; turn += 1) {
      const sockets = Array.from({ length: 20 }, () => {
        const socket = dial(server.address).on("error", () => {});
        socket.write(get("/static/hasty.bin") + get("/few/hasty.bin"), () => socket.destroy());
        return socket;
      });
      await Promise.all(sockets.map((socket) => once(socket, "close")));
    }

    await until("none is open", async () => (await open()) === 0);
  });

  test("are open no more often than they may be, and sent in their turn", async () => {
    large("turns.bin", 30 * MIB);
    const sockets = [await begun("/few/turns.bin"), await begun("/few/turns.bin")];
    const [third, fourth] = [dial(server.address), dial(server.address)];
    let answered = 0;
    for (const socket of [third, fourth]) {
      socket.write(get("/few/turns.bin"));
      socket.once("readable", () => {
        answered += 1;
      });
    }
    await talk(server.address, get("/few/a.txt"), { until: 1 });
    await talk(server.address, get("/few/turns.bin", "Range: bytes=99999999999-"), { until: 1 });

    assert.equal(await open(), 2);
    assert.equal(answered, 0);
    third.destroy();
    sockets[0]?.destroy();
    await until("the next one has its turn", () => answered === 1);
    const head = 30 * MIB;
    assert.ok((await rest(fourth, head)).length >= head);
    sockets[1]?.destroy();
    await until("none is open", async () => (await open()) === 0);
  });

  test("that become shorter while they are sent end the connection", async () => {
    const file = large("shrinking.bin", 100 * MIB);
    const socket = await begun("/static/shrinking.bin");
    truncateSync(file, 10);
    const received = await rest(socket);

    assert.ok(
      received.includes(`Content-Length: ${100 * MIB}`) || received.includes(`content-length: ${100 * MIB}`),
    );
    assert.ok(received.length < 100 * MIB, "the client sees that it is not whole");
    await until("it is closed", async () => (await open()) === 0);
    assert.deepEqual((await facts()).reports, [], "nothing of the server's is wrong");
  });

  test("that become longer while they are sent are as long as they were said to be", async () => {
    const file = large("growing.bin", 20 * MIB);
    const socket = await begun("/static/growing.bin");
    truncateSync(file, 40 * MIB);
    const { length } = await answered(socket, 20 * MIB);
    socket.write(get("/static/a.txt"));
    const next = await answered(socket, 1);
    socket.destroy();

    assert.equal(length, 20 * MIB);
    assert.equal(next.bytes.toString(), "A", "nothing stands between the two");
    await until("it is closed", async () => (await open()) === 0);
  });

  test("are the new ones a second after they were changed", async () => {
    const file = join(root, "changing.txt");
    writeFileSync(file, "old");
    const body = async () =>
      (await talk(server.address, get("/static/changing.txt"), { until: 1 })).replies[0]?.body;
    assert.equal(await body(), "old");

    writeFileSync(file, "new");
    await until("it is answered", async () => (await body()) === "new");
  });

  test("answer requests in one segment in their order", async () => {
    for (const target of ["/kept/a.txt", "/kept/sub/b.txt"])
      await talk(server.address, get(target), { until: 1 });
    // The engine takes no request behind one that takes its time: only the last does.
    const targets = ["/kept/a.txt", "/kept/sub/b.txt", "/kept/a.txt", "/kept/none"];
    const { replies } = await talk(server.address, targets.map((target) => get(target)).join(""), {
      until: targets.length,
    });

    assert.deepEqual(
      replies.map(({ status, body }) => (status === 200 ? body : status)),
      ["A", "B", "A", 404],
    );
  });

  test("have the client's request id", async () => {
    for (const target of ["/static/a.txt", "/disk/a.txt", "/static/none", "/static/sub"]) {
      const { replies } = await talk(server.address, get(target, "X-Request-Id: abc"), { until: 1 });

      assert.equal(replies[0]?.headers["x-request-id"], "abc", target);
    }
  });

  test("are sent to the last byte while the server stops", async () => {
    const path = site({ "a.bin": Buffer.alloc(20 * MIB, "x") });
    const stopping = await ingress({ processGuards: false, folder: path }).run();
    const socket = dial(stopping.address);
    socket.write(get("/static/a.bin"));
    await once(socket, "readable");
    const stopped = stopping.close();
    const received = await rest(socket, 20 * MIB);

    assert.ok(received.length >= 20 * MIB);
    await stopped;
  });
});

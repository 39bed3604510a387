// Bodies that a step reads as they arrive, against clients that are slow, in a hurry,
// gone, or say something else than they send.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { pause, until } from "../../support/patience.js";
import { type ServerProcess, startIngress } from "../../support/server-process.js";
import { caughtUp, dial, get, post, talk } from "../../support/wire.js";

const MIB = 1024 * 1024;

interface Facts {
  readonly ends: readonly string[];
  readonly reports: readonly string[];
  readonly aborted: number;
  readonly memory: number;
}

describe("bodies that are read as they arrive", () => {
  let server: ServerProcess;
  before(async () => {
    server = await startIngress("input-ingress.ts", { bodyTimeoutMs: 2000 });
  });
  after(() => server.end());

  const ask = async <T>(target: string): Promise<T> => {
    const { replies } = await talk(server.address, get(target), { until: 1 });
    return JSON.parse(replies[0]?.body ?? "null") as T;
  };
  const facts = () => ask<Facts>("/facts");
  /** What became of so many bodies, once it is known of all of them. */
  async function factsOfEnds(count: number): Promise<Facts> {
    const [ends, reports]: [string[], string[]] = [[], []];
    let last = await facts();
    await until(`the end of ${count} is known`, async () => {
      ends.push(...last.ends);
      reports.push(...last.reports);
      if (ends.length >= count) return true;
      last = await facts();
      return false;
    });
    return { ...last, ends, reports };
  }
  const sized = (target: string, length: number, body = "") =>
    post(target, body, `Content-Length: ${length}`);
  const chunked = (target: string, body: string) => post(target, body, "Transfer-Encoding: chunked");
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

  /**
   * Sends `total` bytes of a body of `length` as fast as they are taken, or 64 KiB each
   * millisecond; answers how many were, and what came back.
   */
  function pour(target: string, total: number, pace: "fast" | "steady" = "fast", length = total) {
    const socket = dial(server.address);
    let received = "";
    let taken = 0;
    socket.on("error", () => {});
    socket.on("data", (data) => {
      received += data.toString("latin1");
    });
    const piece = Buffer.alloc(65_536, "x");
    const pump = (): void => {
      while (taken < total && !socket.destroyed) {
        const next = piece.subarray(0, Math.min(piece.length, total - taken));
        taken += next.length;
        if (!socket.write(next)) socket.once("drain", pump);
        else if (pace === "steady") setTimeout(pump, 1);
        else continue;
        return;
      }
    };
    socket.write(sized(target, length));
    pump();
    return { socket, written: () => taken, reply: () => received };
  }

  test("come whole to a slow step, and what it has not taken is not kept in memory", async () => {
    const before = await facts();
    const { socket, reply } = pour("/slowly", 64 * MIB);
    await pause(200);
    const memory = (await facts()).memory - before.memory;
    await until("it is answered", () => reply().includes("length"));
    socket.destroy();

    assert.match(reply(), /^HTTP\/1\.1 200 OK[\s\S]*"length":67108864/);
    assert.ok(memory < 16 * MIB, `${memory} bytes were kept for it`);
  });

  test("hold their client back while nobody takes anything", async () => {
    const { socket, written } = pour("/never", 120 * MIB, "steady");
    await until("nothing more is taken", async () => {
      const taken = written();
      await pause(500);
      return taken > 0 && written() === taken;
    });
    const held = written();
    socket.destroy();

    assert.ok(held < 60 * MIB, `${held} bytes were taken`);
  });

  test("come whole from a slow client, and in one piece or many", async () => {
    const pieces = Array.from({ length: 20 }, () => "x".repeat(50));
    const slow = await talk(server.address, [sized("/count", 1000), ...pieces], { pauseMs: 60, until: 1 });
    const inChunks = await talk(server.address, [chunked("/count", ""), ...pieces.map(chunk), "0\r\n\r\n"], {
      pauseMs: 5,
    });
    const atOnce = await talk(
      server.address,
      sized("/count", 1000, pieces.join("")) + sized("/count", 2, "ab"),
    );

    assert.equal(JSON.parse(slow.replies[0]?.body ?? "{}").length, 1000);
    assert.equal(JSON.parse(inChunks.replies[0]?.body ?? "{}").length, 1000);
    assert.equal(inChunks.end, "closed");
    assert.equal(JSON.parse(atOnce.replies[0]?.body ?? "{}").length, 1000);
  });

  test("of no length are at their end at once", async () => {
    for (const request of [
      get("/count").replace("GET", "POST"),
      sized("/count", 0),
      chunked("/count", "0\r\n\r\n"),
    ]) {
      const { replies } = await talk(server.address, request);

      assert.deepEqual(JSON.parse(replies[0]?.body ?? "{}"), { length: 0, pieces: 0 });
    }
  });

  test("whose client stops are 408 in the middle of the run, which is aborted", async () => {
    const before = await facts();
    const { replies, end } = await talk(server.address, sized("/count", 10, "12345"), { waitMs: 30_000 });
    const afterwards = await factsOfEnds(1);

    assert.deepEqual([replies.map(({ status }) => status), end], [[408], "closed"]);
    assert.deepEqual(afterwards.ends, ["count BODY_TIMEOUT"]);
    assert.deepEqual([afterwards.aborted - before.aborted, afterwards.reports], [1, []]);
  });

  test("above the limit are 413: by their length before they are read, by chunks as they are counted", async () => {
    const told = await talk(server.address, sized("/small", 1001), { waitMs: 30_000 });
    const counted = await talk(
      server.address,
      [chunked("/small", chunk("x".repeat(900))), chunk("x".repeat(101))],
      {
        waitMs: 30_000,
      },
    );
    const exact = await talk(server.address, chunked("/small", `${chunk("x".repeat(1000))}0\r\n\r\n`));

    for (const { replies, end } of [told, counted])
      assert.deepEqual([replies.map(({ status }) => status), end], [[413], "closed"]);
    assert.equal(JSON.parse(exact.replies[0]?.body ?? "{}").length, 1000);
    assert.deepEqual((await factsOfEnds(1)).ends, ["small BODY_TOO_LARGE"]);
  });

  test("end with an error where the client goes away halfway, and the run is aborted", async () => {
    const before = await facts();
    for (const target of ["/count", "/slowly"]) {
      const socket = dial(server.address);
      socket.on("error", () => {});
      socket.write(sized(target, 10, "12345"));
      await caughtUp(server.address);
      socket.resetAndDestroy();
    }
    const afterwards = await factsOfEnds(2);

    assert.deepEqual([...afterwards.ends].sort(), ["count BODY_ABORTED", "slowly BODY_ABORTED"]);
    assert.deepEqual([afterwards.aborted - before.aborted, afterwards.reports], [2, []]);
  });

  test("end with an error too where the client goes away while it is held back", async () => {
    const { socket } = pour("/slowly", 120 * MIB, "steady");
    await pause(500);
    socket.resetAndDestroy();

    assert.deepEqual((await factsOfEnds(1)).ends, ["slowly BODY_ABORTED"]);
  });

  test("of which a step reads half, or leaves the loop, are read past: the next request is answered", async () => {
    for (const target of ["/half", "/leave"]) {
      const { replies, end } = await talk(
        server.address,
        [sized(target, 12, "12345"), "6789012", get("/facts")],
        { pauseMs: 100, after: [0, 0, 1], until: 2, lingerMs: 100 },
      );

      assert.deepEqual(
        [replies.map(({ status }) => status), JSON.parse(replies[0]?.body ?? "{}"), end],
        [[200, 200], { first: 5 }, "open"],
        target,
      );
    }
  });

  test("that no step reads are read past, however large", async () => {
    for (const target of ["/unread", "/unread-later"]) {
      const { socket, written, reply } = pour(target, 8 * MIB);
      await until("all is sent", () => written() === 8 * MIB);
      socket.write(get("/facts"));
      await until("the next one is answered", () => reply().includes("reports"));
      socket.destroy();

      assert.match(
        reply(),
        /^HTTP\/1\.1 200 OK[\s\S]*unread[\s\S]*HTTP\/1\.1 200 OK[\s\S]*"reports":\[\]/,
        target,
      );
    }
  });

  test("that a step never reads are 503 in the end", async () => {
    // A byte short: a fast client's body may be whole before the engine hears of a pause. And no
    // more than what lies between takes: a client that writes on to who has left may read no answer.
    const { socket, reply } = pour("/never", MIB, "fast", MIB + 1);
    await until("it is answered", () => reply() !== "");
    socket.destroy();

    assert.match(reply(), /^HTTP\/1\.1 503 [\s\S]*BODY_UNREAD/);
  });

  test("cannot be read after their run", async () => {
    for (const target of ["/keep", "/keep-later"]) {
      const halves = await talk(server.address, [sized(target, 10, "12345"), "67890"], {
        pauseMs: 60,
        until: 1,
      });
      const whole = await talk(server.address, sized(target, 5, "12345"));

      assert.deepEqual([halves.replies[0]?.body, whole.replies[0]?.body], ["kept", "kept"]);
      assert.deepEqual(await ask("/kept"), ["BODY_RELEASED", "BODY_RELEASED"], target);
    }
  });

  test("wait for guards that take time, streamed or whole, and the guards decide first", async () => {
    const letMe = ["X-Let-Me: in", "Content-Length: 10"];
    for (const target of ["/guarded", "/guarded-bytes"]) {
      const early = await talk(server.address, post(target, "0123456789", ...letMe), { until: 1 });
      const late = await talk(server.address, [post(target, "01234", ...letMe), "56789"], {
        pauseMs: 350,
        until: 1,
      });
      const refused = await talk(server.address, [sized(target, 10, "01234"), "56789", get("/facts")], {
        pauseMs: 350,
        until: 2,
      });

      for (const { replies } of [early, late]) assert.match(replies[0]?.body ?? "", /"length":10/, target);
      assert.deepEqual(
        refused.replies.map(({ status }) => status),
        [401, 200],
        target,
      );
    }
    const tooMuch = chunk("x".repeat(900)) + chunk("x".repeat(101));
    for (const target of ["/guarded-small", "/guarded-bytes"]) {
      const closed = await talk(server.address, chunked(target, `${tooMuch}0\r\n\r\n`), { until: 1 });
      const open = await talk(
        server.address,
        post(target, tooMuch, "X-Let-Me: in", "Transfer-Encoding: chunked"),
        { until: 1 },
      );

      assert.deepEqual([closed.replies[0]?.status, open.replies[0]?.status], [401, 413], target);
    }
  });

  test("behind one another in one connection are told apart", async () => {
    const { replies } = await talk(
      server.address,
      [sized("/count", 3, "abc"), sized("/count", 4, "abcd"), sized("/unread", 2, "ab"), get("/facts")],
      { after: [0, 1, 2, 3], until: 4 },
    );

    assert.deepEqual(
      replies.slice(0, 3).map(({ body }) => body),
      ['{"length":3,"pieces":1}', '{"length":4,"pieces":1}', "unread"],
    );
  });

  test("leave nothing behind, whatever became of them", async () => {
    const round = async () => {
      for (let i = 0; i < 20; i += 1) {
        await Promise.all(
          ["/count", "/slowly", "/half", "/never", "/keep"].map(async (target) => {
            const socket = dial(server.address);
            socket.on("error", () => {});
            socket.write(sized(target, 10_000_000, "x".repeat(400_000)));
            await pause(10);
            socket.resetAndDestroy();
          }),
        );
      }
      await caughtUp(server.address);
      await ask("/kept");
      return (await facts()).memory;
    };
    await round();
    const warm = await round();
    await round();
    await round();

    // Each round is 40 MB. The server may hear of the last resets late.
    await until("the memory of the rounds is free", async () => (await facts()).memory - warm < 16 * MIB);
    assert.ok(server.alive());
  });
});

// Streams that are compressed as they come, from the source to a client's decoder.

import assert from "node:assert/strict";
import { once } from "node:events";
import { get as ask, type IncomingMessage } from "node:http";
import { after, before, describe, test } from "node:test";
import { createBrotliDecompress, createGunzip } from "node:zlib";

import { Axon, Framework, type RunningServer, respond } from "framework";
import { pause, until } from "../support/patience.js";

/** Undefined is the end. */
type Piece = string | Error | undefined;

/** What the route at /live gives, one piece at a time, when the test says so. */
class Live {
  ended = 0;
  pulled = 0;
  #give: (piece: Piece) => void = () => {};
  #next: Promise<Piece> = this.#wait();

  give(piece: Piece): void {
    this.#give(piece);
  }

  async *pieces() {
    try {
      for (;;) {
        this.pulled += 1;
        const piece = await this.#next;
        this.#next = this.#wait();
        if (piece === undefined) return;
        if (piece instanceof Error) throw piece;
        yield piece;
      }
    } finally {
      this.ended += 1;
    }
  }

  #wait(): Promise<Piece> {
    return new Promise((resolve) => {
      this.#give = resolve;
    });
  }
}

/** Text that hardly gets smaller. */
function noise(length: number): string {
  let seed = 1;
  let text = "";
  while (text.length < length) {
    seed = (seed * 48_271) % 2_147_483_647;
    text += seed.toString(36);
  }
  return text;
}

describe("a stream that a server compresses", () => {
  let server: RunningServer;
  let live: Live;
  const flood = { pulled: 0, ended: 0 };
  before(async () => {
    const plain = (body: unknown) => respond({ headers: { "content-type": "text/plain" }, body });
    const piece = noise(65_536);
    async function* endless() {
      try {
        for (;;) {
          flood.pulled += piece.length;
          yield piece;
        }
      } finally {
        flood.ended += 1;
      }
    }
    server = await Framework.http({ processGuards: false, reporter: () => {} })
      .bind("127.0.0.1:0")
      .compressionLayer()
      .get(
        "/live",
        Axon.start("live").thenFn("live", () => plain(live.pieces())),
      )
      .get(
        "/endless",
        Axon.start("endless").thenFn("endless", () => plain(endless())),
      )
      .run();
  });
  after(() => server.close());

  async function open(path: string, coding: string): Promise<IncomingMessage> {
    const request = ask(`http://${server.address}${path}`, { headers: { "accept-encoding": coding } });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    assert.equal(response.headers["content-encoding"], coding);
    return response;
  }

  for (const [coding, decoder] of [
    ["br", createBrotliDecompress],
    ["gzip", createGunzip],
  ] as const)
    test(`reaches a client that takes ${coding} piece by piece, each before the next is made`, async () => {
      live = new Live();
      live.give("first");
      const read = (await open("/live", coding)).pipe(decoder());
      let seen = "";
      read.on("data", (piece: Buffer) => {
        seen += piece.toString();
      });
      let expected = "first";
      for (const piece of [" second", " third"]) {
        await until("it is seen", () => seen === expected);
        live.give(piece);
        expected += piece;
      }
      await until("it is seen", () => seen === expected);
      live.give(undefined);
      await once(read, "end");

      assert.deepEqual([seen, live.ended], ["first second third", 1]);
    });

  test("is no longer made for a client that has gone", async () => {
    live = new Live();
    live.give("first");
    const response = await open("/live", "gzip");
    await once(response, "data");
    response.destroy();
    // Who waits for a piece is told when it has one.
    await until("its source has ended", () => {
      live.give("more");
      return live.ended === 1;
    });
  });

  test("waits for a client that takes nothing", async () => {
    const response = await open("/endless", "gzip");
    response.pause();
    let before = -1;
    while (before !== flood.pulled) {
      before = flood.pulled;
      await pause(300);
    }
    assert.ok(flood.pulled < 64 * 1024 * 1024, `${flood.pulled} bytes were pulled`);

    response.destroy();
    await until("its source has ended", () => flood.ended === 1);
  });

  test("ends so that the client can tell, where its source breaks off", async () => {
    live = new Live();
    live.give("half");
    const response = await open("/live", "gzip");
    const ended = once(response, "end");
    await once(response, "data");
    live.give(new Error("the other half is gone"));

    await assert.rejects(ended);
    assert.deepEqual([response.complete, live.ended], [false, 1]);
  });
});

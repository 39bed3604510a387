import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";
import { brotliDecompressSync, constants, gunzipSync } from "node:zlib";
import fc from "fast-check";

import { CodedStream } from "#http/answer/compression/coded-stream.js";
import { type Coder, Encoder, FLUSHES } from "#http/answer/compression/encoder.js";
import type { AnswerStream, StreamEnd } from "#http/exchange/answer-stream.js";
import { compressionRules } from "#http/plan/compression-rules.js";
import { turn } from "../../../support/outcome-code.js";

/** What a client takes, as slowly as a test wants. */
class Taker implements AnswerStream {
  onWritable: (() => void) | null = null;
  onOver: ((how: StreamEnd) => void) | null = null;
  isOver = false;
  /** Whether there is room for more after a piece. */
  hasRoom = true;
  readonly pieces: Uint8Array[] = [];

  write(piece: Uint8Array | string): boolean {
    assert.equal(this.isOver, false);
    this.pieces.push(Buffer.from(piece));
    return this.hasRoom;
  }

  end(): void {
    this.over("whole");
  }

  fail(): void {
    this.over("failed");
  }

  over(how: StreamEnd): void {
    if (this.isOver) return;
    this.isOver = true;
    this.onOver?.(how);
  }

  get bytes(): Buffer {
    return Buffer.concat(this.pieces);
  }
}

function open(coding: "br" | "gzip" = "gzip") {
  const encoder = new Encoder(compressionRules());
  const taker = new Taker();
  const coder = encoder.open(coding) as Coder;
  const stream = new CodedStream(taker, coder, FLUSHES[coding]);
  const ended = new Promise<StreamEnd>((resolve) => {
    stream.onOver = resolve;
  });
  return { encoder, taker, coder, stream, ended };
}

/** What does not get smaller, so that little of it fills what is between. */
function noiseOf(length: number): Buffer {
  let seed = 1;
  return Buffer.from(
    Array.from({ length }, () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed & 255;
    }),
  );
}

/** What a client can read of an answer that has not ended. */
const readSoFar = (bytes: Buffer): string =>
  gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).toString();

describe("a stream that is compressed", () => {
  test("is what was written, in whatever pieces", async () => {
    const piece = fc.oneof(fc.string(), fc.uint8Array(), fc.constant("x".repeat(100_000)));
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 12 }),
        fc.constantFrom("br" as const, "gzip" as const),
        async (pieces, coding) => {
          const { stream, taker, ended, encoder, coder } = open(coding);
          const isClosed = once(coder, "close");
          for (const each of pieces) {
            if (stream.write(each)) continue;
            await new Promise<void>((resolve) => {
              stream.onWritable = resolve;
            });
          }
          stream.end();

          assert.equal(await ended, "whole");
          const decode = coding === "br" ? brotliDecompressSync : gunzipSync;
          assert.deepEqual(decode(taker.bytes), Buffer.concat(pieces.map((each) => Buffer.from(each))));
          await isClosed;
          assert.equal(encoder.streams, 0);
        },
      ),
      { numRuns: 30 },
    );
  });

  test("shows each piece before the next is there", async () => {
    const { stream, taker } = open();
    let expected = "";
    for (const piece of ["one", "two", "three"]) {
      stream.write(piece);
      expected += piece;
      while (taker.pieces.length === 0 || readSoFar(taker.bytes) !== expected) await turn();
    }
    stream.fail();

    assert.equal(readSoFar(taker.bytes), "onetwothree");
  });

  test("goes out in one piece where the pieces came in one turn", async () => {
    const { stream, taker, ended } = open();
    for (let n = 0; n < 50; n += 1) stream.write(`line ${n}\n`);
    await turn();
    await turn();
    stream.end();
    await ended;
    const written = taker.bytes.length;
    const pieces = open();
    for (let n = 0; n < 50; n += 1) {
      pieces.stream.write(`line ${n}\n`);
      await turn();
      await turn();
    }
    pieces.stream.end();
    await pieces.ended;

    assert.ok(written < pieces.taker.bytes.length / 2, `${written} of ${pieces.taker.bytes.length}`);
  });

  test("holds up who writes while the client takes nothing, and goes on when it does", async () => {
    const { stream, taker, ended, coder } = open();
    taker.hasRoom = false;
    const noise = noiseOf(100_000);
    let written = 1;
    while (written < 100 && stream.write(noise)) written += 1;
    assert.ok(written < 100);

    let isWritable = false;
    stream.onWritable = () => {
      isWritable = true;
    };
    while (taker.pieces.length === 0) await turn();
    assert.equal(coder.isPaused(), true);
    for (let n = 0; n < 20; n += 1) await turn();
    assert.deepEqual([taker.pieces.length, isWritable], [1, false]);

    taker.hasRoom = true;
    taker.onWritable?.();
    while (!isWritable) await turn();
    stream.end();

    assert.equal(await ended, "whole");
    assert.equal(gunzipSync(taker.bytes).length, noise.length * written);
  });

  test("is closed where the client goes away, and takes no more", async () => {
    for (const meanwhile of [false, true]) {
      const { stream, taker, ended, coder, encoder } = open();
      const isClosed = once(coder, "close");
      stream.write("x".repeat(200_000));
      if (!meanwhile) await turn();
      taker.over("gone");

      assert.equal(await ended, "gone");
      assert.deepEqual([stream.isOver, stream.write("more")], [true, false]);
      stream.end();
      stream.fail();
      await isClosed;
      await turn();
      assert.equal(encoder.streams, 0);
    }
  });

  test("is closed where who writes gives up, and is not ended", async () => {
    const { stream, ended, coder, encoder } = open();
    const isClosed = once(coder, "close");
    stream.write("half");
    stream.fail();

    assert.equal(await ended, "failed");
    await isClosed;
    assert.equal(encoder.streams, 0);
  });

  test("fails where its coder does", async () => {
    const { ended, coder } = open();
    coder.destroy(new Error("out of memory"));

    assert.equal(await ended, "failed");
  });

  test("is made of what was written, whatever becomes of its memory", async () => {
    const { stream, taker, ended } = open();
    const piece = Buffer.from("first ".repeat(1000));
    stream.write(piece);
    piece.fill("?");
    stream.write(piece);
    stream.end();
    await ended;

    assert.equal(gunzipSync(taker.bytes).toString(), "first ".repeat(1000) + "?".repeat(6000));
  });
});

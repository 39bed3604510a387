// One id for a request: the client's own where it can stand in a header, a log
// line and a URL, else a UUIDv7 (RFC 9562, section 5.7): 48 bits of time in
// milliseconds and 74 random ones.

import { randomFillSync } from "node:crypto";

const WELL_FORMED = /^[A-Za-z0-9._-]{1,128}$/;

/** The id that a client gave with its request, or "". */
export const clientRequestId = (given: string): string =>
  given !== "" && WELL_FORMED.test(given) ? given : "";

export function newRequestId(now?: number): string {
  newRequestIdBytes(now);
  return ID.toString("latin1");
}

const DIGITS = new Uint8Array(Buffer.from("0123456789abcdef"));
const TEMPLATE = "00000000-0000-7000-8000-000000000000";
// Memory of its own: that of a Buffer made from a text is part of a larger one.
const ID = Buffer.alloc(TEMPLATE.length, TEMPLATE);

// Random bytes are drawn for many ids at once: each call of the generator costs a microsecond.
const RANDOM_BYTES = 10;
const random = new Uint8Array(RANDOM_BYTES * 256);
let drawn = random.length;
let time = -1;

/**
 * A new id as ASCII, in memory that the next call overwrites: for a header that
 * is written at once it saves making a string.
 */
export function newRequestIdBytes(now: number = Date.now()): ArrayBuffer {
  if (drawn === random.length) {
    randomFillSync(random);
    drawn = 0;
  }
  if (now !== time) writeTime(now);
  const first = random[drawn] as number;
  const third = random[drawn + 2] as number;
  ID[15] = digit(first);
  writeByte(16, random[drawn + 1] as number);
  // The variant's two bits, then two random ones.
  ID[19] = digit(0x8 | (third & 0x3));
  ID[20] = digit(third >>> 4);
  writeByte(21, random[drawn + 3] as number);
  for (let i = 0; i < 6; i += 1) writeByte(24 + 2 * i, random[drawn + 4 + i] as number);
  drawn += RANDOM_BYTES;
  return ID.buffer;
}

function writeTime(now: number): void {
  time = now;
  const high = Math.floor(now / 0x100000000);
  writeByte(0, high >>> 8);
  writeByte(2, high);
  writeByte(4, now >>> 24);
  writeByte(6, now >>> 16);
  writeByte(9, now >>> 8);
  writeByte(11, now);
}

function writeByte(at: number, byte: number): void {
  ID[at] = digit(byte >>> 4);
  ID[at + 1] = digit(byte);
}

const digit = (bits: number): number => DIGITS[bits & 0xf] as number;

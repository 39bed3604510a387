// One id for a request: the client's own where it can stand in a header, a log
// line and a URL, else a UUIDv7 (RFC 9562, section 5.7): 48 bits of time in
// milliseconds and 74 random ones.

import { randomFillSync } from "node:crypto";

import { latin1Text } from "#core/latin1-text.js";

const WELL_FORMED = /^[A-Za-z0-9._-]{1,128}$/;

/** The id that a client gave with its request, or "". */
export const clientRequestId = (given: string): string =>
  given !== "" && WELL_FORMED.test(given) ? given : "";

export function newRequestId(now?: number): string {
  newRequestIdBytes(now);
  return latin1Text(ID);
}

const DIGITS = new Uint8Array(Buffer.from("0123456789abcdef"));
const TEMPLATE = "00000000-0000-7000-8000-000000000000";
// Memory of its own: that of a Buffer made from a text is part of a larger one.
const ID = Buffer.alloc(TEMPLATE.length, TEMPLATE);

// Random bytes are drawn for many ids at once, and written as digits: each call of the
// generator costs a microsecond, and one digit at a time twice what all else here does.
const RANDOM_DIGITS = 19;
const random = Buffer.alloc((RANDOM_DIGITS * 256) / 2);
const digits = Buffer.alloc(RANDOM_DIGITS * 256);
let drawn = digits.length;
let time = -1;
/** By a random digit: the variant's two bits, then two of its own. */
const VARIANTS = new Uint8Array(128);
for (let bits = 0; bits < 16; bits += 1) VARIANTS[digit(bits)] = digit(0x8 | (bits & 0x3));

/**
 * A new id as ASCII, in memory that the next call overwrites: for a header that
 * is written at once it saves making a string.
 */
export function newRequestIdBytes(now: number = Date.now()): ArrayBuffer {
  if (drawn === digits.length) {
    digits.write(randomFillSync(random).toString("hex"), "latin1");
    drawn = 0;
  }
  if (now !== time) writeTime(now);
  const from = drawn;
  drawn += RANDOM_DIGITS;
  for (let i = 0; i < 3; i += 1) ID[15 + i] = digits[from + i] as number;
  ID[19] = VARIANTS[digits[from + 3] as number] as number;
  for (let i = 4; i < 7; i += 1) ID[16 + i] = digits[from + i] as number;
  for (let i = 7; i < RANDOM_DIGITS; i += 1) ID[17 + i] = digits[from + i] as number;
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

function digit(bits: number): number {
  return DIGITS[bits & 0xf] as number;
}

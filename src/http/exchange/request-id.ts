// The request id: the client's id if it is safe in headers, logs and URLs, else a UUIDv7 (RFC 9562,
// section 5.7).

import { randomFillSync } from "node:crypto";

import { latin1Text } from "#core/wire/latin1-text.js";

const WELL_FORMED = /^[A-Za-z0-9._-]{1,128}$/;

/** The client's id, or "" if it is malformed. */
export const clientRequestId = (given: string): string =>
  given !== "" && WELL_FORMED.test(given) ? given : "";

export function newRequestId(now?: number): string {
  newRequestIdBytes(now);
  return latin1Text(ID);
}

const DIGITS = new Uint8Array(Buffer.from("0123456789abcdef"));
const TEMPLATE = "00000000-0000-7000-8000-000000000000";
// Buffer.alloc, because Buffer.from(text) uses pooled memory.
const ID = Buffer.alloc(TEMPLATE.length, TEMPLATE);
const BYTES = ID.buffer;
/** Four hex characters per word. */
const WORDS = new Uint32Array(BYTES);

// Random bytes are drawn for many ids at once, because a call of the generator costs 1 µs.
const DRAWN_IDS = 256;
/** Bytes of the random end and the last digit of the time, in whole words. */
const END = 12;
const END_LENGTH = TEMPLATE.length - END;
const random = Buffer.alloc((DRAWN_IDS * END_LENGTH) / 2);
const ends = Buffer.alloc(DRAWN_IDS * END_LENGTH);
const endWords = new Uint32Array(ends.buffer, ends.byteOffset, ends.length / 4);
let drawn = endWords.length;
let time = -1;
let lastTimeDigit = 0;
/** Constant characters of the end, and the position of the variant. */
const FIXED = [...TEMPLATE.slice(END)].flatMap((character, at) =>
  character === "0" || character === "8" ? [] : [{ at, code: character.charCodeAt(0) }],
);
const VARIANT = TEMPLATE.indexOf("8") - END;

/** A new id as ASCII bytes, overwritten by the next call. Saves a string if the id is written at once. */
export function newRequestIdBytes(now: number = Date.now()): ArrayBuffer {
  if (drawn === endWords.length) draw();
  if (now !== time) writeTime(now);
  for (let word = END / 4; word < WORDS.length; word += 1) {
    WORDS[word] = endWords[drawn] as number;
    drawn += 1;
  }
  ID[END] = lastTimeDigit;
  return BYTES;
}

function draw(): void {
  ends.write(randomFillSync(random).toString("hex"), "latin1");
  for (let begin = 0; begin < ends.length; begin += END_LENGTH) {
    for (const { at, code } of FIXED) ends[begin + at] = code;
    // 10 and two random bits.
    const bits = random[(begin + VARIANT) >>> 1] as number;
    ends[begin + VARIANT] = digit(0x8 | (bits & 0x3));
  }
  drawn = 0;
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
  lastTimeDigit = ID[END] as number;
}

function writeByte(at: number, byte: number): void {
  ID[at] = digit(byte >>> 4);
  ID[at + 1] = digit(byte);
}

function digit(bits: number): number {
  return DIGITS[bits & 0xf] as number;
}

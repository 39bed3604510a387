// The same with a request id: the client's own where it is well-formed, else a new
// UUIDv7, on the answer as x-request-id.

import { randomFillSync } from "node:crypto";

import { plaintext } from "../subjects/greeting.mjs";
import { host, port, ready } from "./arguments.mjs";
import { gated, nativeText } from "./gate.mjs";

const OK = nativeText("200 OK\r\ncontent-type: text/plain; charset=utf-8");
const X_REQUEST_ID = nativeText("x-request-id");
const WELL_FORMED = /^[A-Za-z0-9._-]{1,128}$/;

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const random = new Uint8Array(10 * 256);
let drawn = random.length;
let time = -1;
let timeText = "";

function uuidv7() {
  if (drawn === random.length) {
    randomFillSync(random);
    drawn = 0;
  }
  const now = Date.now();
  if (now !== time) {
    time = now;
    const digits = now.toString(16).padStart(12, "0");
    timeText = `${digits.slice(0, 8)}-${digits.slice(8)}-7`;
  }
  const at = drawn;
  drawn += 10;
  const byte = (i) => HEX[random[at + i]];
  return `${timeText}${byte(0)[0]}${byte(1)}-${HEX[0x80 | (random[at + 2] & 0x3f)]}${byte(3)}-${byte(4)}${byte(5)}${byte(6)}${byte(7)}${byte(8)}${byte(9)}`;
}

function hello(response, request) {
  const given = request.getHeader(X_REQUEST_ID);
  const id = given !== "" && WELL_FORMED.test(given) ? given : uuidv7();
  response.writeStatus(OK).writeHeader(X_REQUEST_ID, id).end(plaintext);
}

gated({ get: { "/": hello } }).listen(host, port, ready);

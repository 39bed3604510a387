// The guarded order on the native server, by hand: everything that ours does for it, with
// the tricks that ours uses. One block for the status and the headers that are the same,
// one call for those that are not.

import { TypeCompiler } from "@sinclair/typebox/compiler";
import fastJson from "fast-json-stringify";
import pino from "pino";

import { Bearers, ORIGIN, RATE, SECURITY } from "../subjects/guarded.mjs";
import { receiptOf } from "../subjects/order.mjs";
import { Order, Receipt } from "../subjects/schemas.mjs";
import { nativeText, refuse } from "./gate.mjs";

const order = TypeCompiler.Compile(Order);
const write = fastJson(Receipt);
const bearers = new Bearers();
// As its documentation has it for speed: lines are gathered, and written later.
const log = pino({ level: "info" }, pino.destination({ dest: "/dev/null", sync: false, minLength: 4096 }));

const BLOCKED = [
  [0x0a420000, 0xffff0000],
  [0xc0000207, 0xffffffff],
];
const CORS = {
  vary: "Origin",
  "access-control-allow-origin": ORIGIN,
  "access-control-allow-credentials": "true",
  "access-control-expose-headers": "x-request-id",
};
const blockOf = (headers) =>
  nativeText(
    `200 OK${Object.entries({ "content-type": "application/json", ...SECURITY, ...headers })
      .map(([name, value]) => `\r\n${name}: ${value}`)
      .join("")}`,
  );
const BLOCKS = { same: blockOf({ vary: "Origin" }), other: blockOf(CORS) };

let now = Date.now();
setInterval(() => {
  now = Date.now();
}, 10).unref();

const buckets = new Map();
const texts = new Map();
let made = 0;
const prefix = `req-${process.pid.toString(36)}-`;

class Context {
  constructor(response) {
    this.response = response;
    this.startedAt = performance.now();
    this.collected = undefined;
    this.aborted = false;
    this.block = BLOCKS.same;
    this.subject = "";
    this.id = "";
    this.address = 0;
    this.remaining = 0;
  }
}

/** The handler of the order. */
export function guardedOrder(response, request) {
  const context = new Context(response);
  response.onAborted(() => {
    context.aborted = true;
  });
  const bytes = new Uint8Array(response.getRemoteAddress());
  const at = bytes.length - 4;
  const address = ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0;
  context.address = address;
  for (const [network, mask] of BLOCKED)
    if ((address & mask) >>> 0 === network) return end(context, "403 Forbidden");
  if (!take(context, address)) return end(context, "429 Too Many Requests");
  const origin = request.getHeader("origin");
  if (origin !== "" && origin !== ORIGIN) return end(context, "403 Forbidden");
  if (origin === ORIGIN) context.block = BLOCKS.other;
  const given = request.getHeader("x-request-id");
  made += 1;
  context.id = given !== "" ? given : prefix + made.toString(36);
  const subject = bearers.subject(request.getHeader("authorization"));
  if (subject === undefined) return end(context, "401 Unauthorized");
  context.subject = subject;
  response.onData((chunk, last) => {
    const piece = Buffer.from(chunk);
    const { collected } = context;
    if (!last) context.collected = Buffer.concat(collected === undefined ? [piece] : [collected, piece]);
    else if (!context.aborted)
      answer(context, collected === undefined ? piece : Buffer.concat([collected, piece]));
  });
}

function take(context, address) {
  let bucket = buckets.get(address);
  if (bucket === undefined) {
    bucket = { at: now, left: RATE.requests };
    buckets.set(address, bucket);
  }
  bucket.left = Math.min(RATE.requests, bucket.left + ((now - bucket.at) * RATE.requests) / RATE.windowMs);
  bucket.at = now;
  if (bucket.left < 1) return false;
  bucket.left -= 1;
  context.remaining = Math.floor(bucket.left);
  return true;
}

function answer(context, body) {
  let value;
  try {
    value = JSON.parse(body.utf8Slice(0, body.length));
  } catch {
    return end(context, "400 Bad Request");
  }
  if (!order.Check(value)) return end(context, "422 Unprocessable Content");
  const text = write(receiptOf(value));
  const { requests } = RATE;
  const lines = `\r\nratelimit-policy: "default";q=${requests};w=60\r\nratelimit: "default";r=${context.remaining};t=60`;
  context.response
    .writeStatus(context.block)
    .writeHeader("x-request-id", context.id + lines)
    .end(text);
  logged(context, 200);
}

function end(context, status) {
  refuse(context.response, status);
  logged(context, Number(status.slice(0, 3)));
}

function logged({ id, startedAt, address, subject }, status) {
  let client = texts.get(address);
  if (client === undefined) {
    client = `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
    texts.set(address, client);
  }
  const duration_ms = performance.now() - startedAt;
  log.info(
    { request_id: id, method: "POST", path: "/order", status, duration_ms, client, subject },
    "request",
  );
}

// Plaintext, JSON and the order by hand behind the same gate as ours.

import fastJson from "fast-json-stringify";

import { greeting, plaintext } from "../subjects/greeting.mjs";
import { Greeting } from "../subjects/schemas.mjs";
import { host, port, ready } from "./arguments.mjs";
import { gated, nativeText, refuse } from "./gate.mjs";
import { receiveOrder } from "./order-by-hand.mjs";

const TEXT = nativeText("200 OK\r\ncontent-type: text/plain; charset=utf-8");
const JSON_TYPE = nativeText("200 OK\r\ncontent-type: application/json");
const BODY_LIMIT = 1_048_576;

const writeGreeting = fastJson(Greeting);

function order(response, _request, length, { contentType, contentEncoding }) {
  if (length > BODY_LIMIT) refuse(response, "413 Content Too Large");
  else if (contentEncoding !== "") refuse(response, "415 Unsupported Media Type");
  else if (contentType !== "application/json") refuse(response, "415 Unsupported Media Type");
  else receiveOrder(response);
}

gated({
  get: {
    "/": (response) => response.writeStatus(TEXT).end(plaintext),
    "/json": (response) => response.writeStatus(JSON_TYPE).end(writeGreeting(greeting())),
  },
  post: { "/order": order },
}).listen(host, port, ready);

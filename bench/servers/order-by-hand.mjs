// The order's work on the native server, by hand: its body collected, parsed,
// checked and answered by its schema, with what ours and the rest use for that.

import { TypeCompiler } from "@sinclair/typebox/compiler";
import fastJson from "fast-json-stringify";

import { receiptOf } from "../subjects/order.mjs";
import { Order, Receipt } from "../subjects/schemas.mjs";

const order = TypeCompiler.Compile(Order);
const write = fastJson(Receipt);

/** To be called in the handler of a request whose body is an order. */
export function receiveOrder(response) {
  let aborted = false;
  let collected;
  response.onAborted(() => {
    aborted = true;
  });
  response.onData((chunk, last) => {
    const piece = Buffer.from(chunk);
    // The engine takes a chunk's memory back: what has to wait is copied.
    if (!last) collected = Buffer.concat(collected === undefined ? [piece] : [collected, piece]);
    else if (!aborted) answer(response, collected === undefined ? piece : Buffer.concat([collected, piece]));
  });
}

function answer(response, body) {
  let value;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    response.writeStatus("400 Bad Request").end();
    return;
  }
  if (!order.Check(value)) response.writeStatus("422 Unprocessable Content").end();
  else response.writeHeader("content-type", "application/json").end(write(receiptOf(value)));
}

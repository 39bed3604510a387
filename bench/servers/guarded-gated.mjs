// The guarded order by hand behind the same gate as ours.

import { host, port, readyAside } from "./arguments.mjs";
import { gated, refuse } from "./gate.mjs";
import { guardedOrder } from "./guarded-by-hand.mjs";

const BODY_LIMIT = 1_048_576;

function order(response, request, length, { contentType, contentEncoding }) {
  if (length > BODY_LIMIT) refuse(response, "413 Content Too Large");
  else if (contentEncoding !== "" || contentType !== "application/json")
    refuse(response, "415 Unsupported Media Type");
  else guardedOrder(response, request);
}

gated({ post: { "/order": order } }).listen(host, port, readyAside);

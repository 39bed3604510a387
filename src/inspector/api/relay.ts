// A request that the Inspector sends into the running circuits, in process.

import { type Static, Type } from "@sinclair/typebox";

import { Amount, Count, closed, envelope, Json, Name, oneOf, orNull } from "./shapes.js";

export const RelayRequest = Type.Object(
  {
    method: Name,
    /** With the query; never a URL. */
    path: Type.String({ pattern: "^/", maxLength: 8192 }),
    headers: Type.Optional(Type.Record(Type.String({ maxLength: 256 }), Type.String({ maxLength: 8192 }))),
    /** A text is sent as it is, anything else as JSON. */
    body: Type.Optional(Json),
  },
  closed,
);
export type RelayRequest = Static<typeof RelayRequest>;

export const RelayAnswer = envelope(
  "relay",
  Type.Object(
    {
      status: Count,
      headers: Type.Array(Type.Tuple([Type.String(), Type.String()])),
      /** What `body` is. */
      encoding: oneOf("json", "text", "base64", "none"),
      body: Json,
      duration_ms: Amount,
      /** Null where no run was begun. */
      run_id: orNull(Name),
    },
    closed,
  ),
);

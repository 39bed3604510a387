// A request that the Inspector sends into the running circuits, in process.

import { type Static, Type } from "@sinclair/typebox";

import { Amount, Count, closed, envelope, Json, Name, oneOf, orNull } from "./shapes.js";

export const RelayRequest = Type.Object(
  {
    method: Name,
    /** Path with query; never a URL. */
    path: Type.String({ pattern: "^/", maxLength: 8192 }),
    headers: Type.Optional(Type.Record(Type.String({ maxLength: 256 }), Type.String({ maxLength: 8192 }))),
    /** A text is sent unchanged, any other value as JSON. */
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
      /** The encoding of `body`. */
      encoding: oneOf("json", "text", "base64", "none"),
      body: Json,
      duration_ms: Amount,
      /** Null if the request started no run. */
      run_id: orNull(Name),
    },
    closed,
  ),
);

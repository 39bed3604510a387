// Requests that matched no route and got no successful response.

import { type Static, Type } from "@sinclair/typebox";

import { Count, closed, envelope, orNull, Text, Time, WorkersSilent } from "./shapes.js";

export const UnmatchedRequest = Type.Object(
  {
    /** When its response ended. */
    at: Time,
    method: Text,
    /** Visible text, cut after 256 characters, credentials masked, without the query. */
    path: Text,
    /** Null if the client disconnected before a response. */
    status: orNull(Count),
    /** Code of the problem document; null for a response without one. */
    code: orNull(Text),
    request_id: orNull(Text),
    /** The route that is nearest to it: "GET /products/:sku". */
    nearest: orNull(Text),
  },
  closed,
);
export type UnmatchedRequest = Static<typeof UnmatchedRequest>;

export const UnmatchedQuery = Type.Object(
  {
    status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599 })),
    /** Default 100. */
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
  },
  closed,
);
export type UnmatchedQuery = Static<typeof UnmatchedQuery>;

/** Unmatched requests of one process. */
export const UnmatchedOnes = Type.Object(
  {
    requests: Type.Array(UnmatchedRequest),
    /** Number of requests that were not stored: more than 50 a second, or older than the newest 500. */
    not_kept: Count,
  },
  closed,
);
export type UnmatchedOnes = Static<typeof UnmatchedOnes>;

export const Unmatched = envelope(
  "unmatched",
  Type.Object({ ...UnmatchedOnes.properties, workers_silent: WorkersSilent }, closed),
);

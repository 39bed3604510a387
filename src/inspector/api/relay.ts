// A request that the Inspector sends into the running circuits, in process.

import { type Static, Type } from "@sinclair/typebox";

import { Amount, Count, closed, envelope, Json, Name, oneOf, orNull, Text } from "./shapes.js";
import { Payload } from "./traces.js";

/** Path with query; never a URL. */
const Path = Type.String({ pattern: "^/", maxLength: 8192 });
const Headers = Type.Record(Type.String({ maxLength: 256 }), Type.String({ maxLength: 8192 }));

export const RelayRequest = Type.Object(
  {
    method: Name,
    path: Path,
    headers: Type.Optional(Headers),
    /** A text is sent unchanged, any other value as JSON. */
    body: Type.Optional(Json),
  },
  closed,
);
export type RelayRequest = Static<typeof RelayRequest>;

const Relayed = Type.Object(
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
);

export const RelayAnswer = envelope("relay", Relayed);

/** From which nodes a run can be run again. */
export const RerunPlan = envelope(
  "rerun_plan",
  Type.Object(
    {
      method: Name,
      /** Of the first run, with masks in the place of marked parts. */
      path: Text,
      nodes: Type.Array(
        Type.Object(
          {
            node: Name,
            input: Payload,
            /** Keys of the Bus whose values of the first run are used again. */
            keys: Type.Array(Name),
            /** Why no run can begin here; null if one can. */
            reason: orNull(Text),
          },
          closed,
        ),
      ),
    },
    closed,
  ),
);

export const RerunRequest = Type.Object(
  {
    node: Name,
    /** Default: the input of the first run. */
    input: Type.Optional(Json),
    path: Path,
    /** Of the new request. Nothing of the first one's is sent. */
    headers: Type.Optional(Headers),
  },
  closed,
);
export type RerunRequest = Static<typeof RerunRequest>;

export const RerunAnswer = envelope("rerun", Relayed);

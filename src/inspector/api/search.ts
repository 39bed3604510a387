// What a search finds by ids, names and labels, and in the texts that stored runs show.

import { type Static, Type } from "@sinclair/typebox";

import { closed, envelope, Name, oneOf, orNull, Text, Time, WorkersSilent } from "./shapes.js";

export const SearchQuery = Type.Object(
  {
    /** Case does not matter. */
    q: Type.String({ pattern: "\\S[^]*\\S", maxLength: 200 }),
    /** `facts`: ids, names, codes, statuses and labels. Default `all`: then also what stored runs show. */
    in: Type.Optional(oneOf("facts", "all")),
    /** Of facts and of texts. Default 20. */
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    /** Cursor of the previous answer: only the texts of older runs are searched. */
    cursor: Type.Optional(Name),
  },
  closed,
);
export type SearchQuery = Static<typeof SearchQuery>;

export const Hit = Type.Object(
  {
    kind: oneOf("run", "durable_run", "letter", "unmatched"),
    id: Text,
    /** The request or the circuit, and how it ended. */
    title: Text,
    /** Where the text was found: "label", "input of charge". */
    by: Text,
    /** The text around it. */
    text: Text,
    /** True if it is the whole id, name or label. */
    is_whole: Type.Boolean(),
    at: Time,
  },
  closed,
);
export type Hit = Static<typeof Hit>;

export const Found = envelope(
  "search",
  Type.Object(
    {
      /** By ids, names, codes, statuses and labels: whole ones first, then the newest. */
      facts: Type.Array(Hit),
      /** By the texts of runs, the newest first. */
      texts: Type.Array(Hit),
      /** Payloads are texts with `full` only; with `hash` no texts are searched. */
      capture: oneOf("off", "hash", "full"),
      /** End of the oldest run whose texts were searched; null if all were, or none. */
      searched_until: orNull(Time),
      /** Cursor that continues the search there. */
      cursor: orNull(Name),
      /** Stores that failed: what they have is missing. */
      failed: Type.Array(oneOf("durable_run", "letter")),
      workers_silent: WorkersSilent,
    },
    closed,
  ),
);

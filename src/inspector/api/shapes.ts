// Building blocks of the Inspector API's schemas. Names are snake_case, as in all JSON of the
// framework. `at` and names that end in `_at` are milliseconds since 1970; `_us` and `_ms` are
// durations. Each object is closed: no other properties.

import { type Static, type TSchema, Type } from "@sinclair/typebox";

export const closed = { additionalProperties: false } as const;

/** A missing value is `null`: a response never leaves a member out. */
export const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

export const Count = Type.Integer({ minimum: 0 });
/** A duration or a rate, possibly with a fraction. */
export const Amount = Type.Number({ minimum: 0 });
/** From 0 to 1. */
export const Share = Type.Number({ minimum: 0, maximum: 1 });
export const Time = Type.Number({ minimum: 0, description: "Milliseconds since 1970" });
export const Name = Type.String({ minLength: 1, maxLength: 1000 });
export const Text = Type.String();
/** A JSON Schema, as declared by the program. */
export const JsonSchema = Type.Unsafe<TSchema>(
  Type.Record(Type.String(), Type.Unknown(), { description: "A JSON Schema" }),
);
export const WorkersSilent = Type.Integer({
  minimum: 0,
  description:
    "Workers that did not answer in time, or have more than an answer may hold: what they have, or some of it, is missing",
});
/** The request of a run that has not ended; null for a run in process. */
export const RequestName = orNull(Type.Object({ method: Name, path: Text, request_id: Name }, closed));
/** Labels that a run has set, by their names. Absent for none. */
export const Labels = Type.Optional(Type.Record(Type.String(), Text));
/** One label that runs are to have: "order:123". */
export const Label = Type.String({ pattern: "^[A-Za-z][A-Za-z0-9_]{0,39}:", maxLength: 300 });
/** Any JSON. */
export const Json = Type.Unknown();

export const oneOf = <const T extends string>(...words: readonly T[]) =>
  Type.Union(words.map((word) => Type.Literal(word)));

/** Schema of a successful response: `{"api_version":"1.0","kind":"inspector.<x>.v1","data":...}`. */
export const envelope = <const K extends string, S extends TSchema>(kind: K, data: S) =>
  Type.Object(
    { api_version: Type.Literal("1.0"), kind: Type.Literal(`inspector.${kind}.v1` as const), data },
    closed,
  );

/** A returned value is read-only. */
export type Given<T> = T extends readonly (infer I)[]
  ? readonly Given<I>[]
  : T extends object
    ? { readonly [K in keyof T]: Given<T[K]> }
    : T;

/** The answer in a response of this schema. */
export type Data<S extends TSchema> = Static<S> extends { readonly data: infer D } ? Given<D> : never;

import { type TSchema, Type } from "@sinclair/typebox";
import fc from "fast-check";

import { Sensitive } from "framework/core";

/** What no copy may hold. */
export const PLANTED = "hunter2-planted";
/** What every copy that is not cut holds. */
export const PUBLIC = "in-the-open";

export interface Planted {
  readonly schema: TSchema;
  readonly value: unknown;
}

/** Names that say of themselves that they are secret, as people write them. */
export const SECRET_NAMES: readonly string[] = [
  "password",
  "PASSWORD",
  "Passwd",
  "userPassword",
  "password_confirmation",
  "passwordHash",
  "new-password2",
  "secret",
  "clientSecret",
  "secrets",
  "token",
  "access_token",
  "refreshToken",
  "accesstoken",
  "XSRF-TOKEN",
  "authorization",
  "Proxy-Authorization",
  "cookie",
  "Set-Cookie",
  "header:authorization",
  "api_key",
  "apiKey",
  "APIKey",
  "x-api-key",
  "privateKey",
  "private_key",
  "cardNumber",
  "card_number",
  "creditCard",
  "credit-card-number",
  "cvv",
  "CVC2",
  "pin",
  "user[pin]",
  "ssn",
  "otp",
  "sessionId",
  "jwt",
  "credentials",
];

/** Names that only look a little like one. */
export const PLAIN_NAMES: readonly string[] = [
  "description",
  "tokenizer",
  "shipping",
  "opinion",
  "spinner",
  "keyboard",
  "key",
  "monkey",
  "compass",
  "passenger",
  "authors",
  "article",
  "sku",
  "code",
  "id",
  "cardinality",
  "signal",
  "ip",
  "__proto__",
  "constructor",
  "toString",
  "a\nb",
  "",
];

/** Names that a schema may have: no line break, which TypeBox writes into code as it is, and none that every object has. */
const key = fc.constantFrom(
  ...PLAIN_NAMES.filter((name) => name !== "a\nb" && !(name in Object.prototype)),
  "one",
);

/** The secret in some shape, below the place that hides it. */
export const hidden: fc.Arbitrary<unknown> = fc.letrec<{ shape: unknown }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constant(PLANTED),
    tie("shape").map((value) => ({ [PLANTED]: value })),
    fc.array(tie("shape"), { minLength: 1, maxLength: 3 }),
    fc.dictionary(key, tie("shape"), { minKeys: 1, maxKeys: 3 }),
    tie("shape").map((value) => new Map([["k", value]])),
    tie("shape").map((value) => new Set([value])),
    tie("shape").map((value) => Object.assign(new Error(PLANTED), { own: value })),
    tie("shape").map((value) => Object.assign(new (class Held {})(), { value })),
  ),
})).shape;

const PUBLIC_LEAF: Planted = { schema: Type.String(), value: PUBLIC };

/** No compiled schema has an optional member that every object inherits. */
const servable = (name: string, schema: TSchema): TSchema =>
  name in Object.prototype ? Type.Optional(schema, false) : schema;

let made = 0;

/** Schemas with marks anywhere, each with a value that has the secret where a mark or a name hides it, and nowhere else. */
export const planted: fc.Arbitrary<Planted> = fc.letrec<{ any: Planted }>((tie) => {
  const inner = tie("any");
  const members = fc.dictionary(key, inner, { maxKeys: 4 });
  const asObject = (parts: Readonly<Record<string, Planted>>): Planted => ({
    schema: Type.Object(
      Object.fromEntries(Object.entries(parts).map(([name, { schema }]) => [name, servable(name, schema)])),
    ),
    value: Object.fromEntries(Object.entries(parts).map(([name, { value }]) => [name, value])),
  });
  return {
    any: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.constant(PUBLIC_LEAF),
      hidden.map((value) => ({ schema: Sensitive(Type.String()), value })),
      inner.map(({ schema, value }) => ({ schema: Type.Optional(schema), value })),
      members.map(asObject),
      fc.tuple(members, fc.constantFrom(...SECRET_NAMES), hidden).map(([parts, name, value]) => {
        const { schema, value: rest } = asObject(parts);
        return { schema, value: { ...(rest as object), [name]: value } };
      }),
      fc.array(inner, { minLength: 1, maxLength: 3 }).map((items) => ({
        schema: Type.Tuple(items.map(({ schema }) => schema)),
        value: items.map(({ value }) => value),
      })),
      inner.map(({ schema, value }) => ({ schema: Type.Array(schema), value: [value, value] })),
      inner.map(({ schema, value }) => ({ schema: Type.Array(schema), value: new Set([value]) })),
      inner.map(({ schema, value }) => ({
        schema: Type.Record(Type.String(), schema),
        value: new Map([["one", value]]),
      })),
      inner.map(({ schema, value }) => ({
        schema: Type.Record(Type.String({ pattern: "^x-" }), schema),
        value: { "x-one": value },
      })),
      inner.map(({ schema, value }) => ({
        schema: Type.Object({}, { additionalProperties: schema }),
        value: { anything: value },
      })),
      inner.map(({ schema, value }) => ({ schema: Type.Union([Type.Null(), schema]), value })),
      fc.tuple(members, members).map(([one, other]) => {
        const both = { ...one, ...other };
        return {
          schema: Type.Intersect([asObject(one).schema, asObject(both).schema]),
          value: asObject(both).value,
        };
      }),
      inner.map(({ schema, value }) => {
        made += 1;
        const [held, holder] = [`Inner${made}`, `Outer${made}`];
        // In an object: a module gives what it names an $id, which a recursive schema has already.
        const parts = {
          [held]: Type.Object({ schema }),
          [holder]: Type.Object({ inner: Type.Ref(held) }),
        };
        return { schema: Type.Module(parts).Import(holder), value: { inner: { schema: value } } };
      }),
      fc.tuple(inner, fc.nat({ max: 3 })).map(([{ schema, value }, levels]) => {
        made += 1;
        const nest = (left: number): unknown =>
          left === 0 ? { held: value, next: [] } : { held: value, next: [nest(left - 1)] };
        return {
          schema: Type.Recursive((self) => Type.Object({ held: schema, next: Type.Array(self) }), {
            $id: `Planted${made}`,
          }),
          value: nest(levels),
        };
      }),
    ),
  };
}).any;

// Kinds of configuration keys. Each function makes one entry of the table in keys.ts: the schema of
// the value in TOML, the reader of a variable's text, and the value for the program.

import { type TSchema, Type } from "@sinclair/typebox";

import { REDACTED, Secret } from "#core/secrets/secret.js";
import { shownUrl } from "#core/wire/shown-url.js";

/** Inputs of a derived default. */
export interface Rest {
  readonly production: boolean;
  /** Whether stdout is a terminal. */
  readonly terminal: boolean;
  /** The effective value of another key, by its path in the file. */
  readonly value: (path: string) => unknown;
}

/** A default that depends on other values, and its description. */
export interface Derived<T> {
  readonly from: (rest: Rest) => T;
  readonly words: string;
}

/** An OpenTelemetry variable that is read after the framework's own. */
interface OtelVariable {
  readonly name: string;
  /** The variable for traces only, which takes precedence. */
  readonly traces?: string;
  /** Converts its format to the framework's; undefined if unreadable. */
  readonly translate?: (text: string) => string | undefined;
  readonly expected?: string;
  /** False if the variable of this name decides nothing. */
  readonly applies?: (env: Readonly<Record<string, string | undefined>>, name: string) => boolean;
}

interface About<T> {
  readonly doc: string;
  readonly default: T | Derived<T>;
  /** Value in framework.toml if there is no constant default. */
  readonly example?: T;
  readonly otel?: OtelVariable;
}

export interface Key<T = unknown> {
  readonly schema: TSchema;
  /** Description of valid values, to follow "it must be ...". */
  readonly expected: string;
  readonly doc: string;
  readonly default: unknown;
  readonly example: unknown;
  readonly otel: OtelVariable | undefined;
  /** Undefined if the text is no value of the type. */
  readonly read: (text: string) => unknown;
  /** Checks beyond the schema: returns the invalid part of a value, or undefined. */
  readonly misfit: (value: unknown) => unknown;
  readonly finish: (value: unknown) => T;
  readonly secret: boolean;
  /** True if an empty text of the file sets nothing. */
  readonly mayBeEmpty: boolean;
}

type Made = Pick<Key, "schema" | "expected" | "read"> &
  Partial<Pick<Key, "misfit" | "secret" | "mayBeEmpty">>;

const key = <T>(about: About<unknown>, made: Made, finish = (value: unknown) => value as T): Key<T> => ({
  doc: about.doc,
  default: about.default,
  example: about.example,
  otel: about.otel,
  misfit: () => undefined,
  secret: false,
  mayBeEmpty: false,
  ...made,
  finish,
});

const asIs = (text: string): string => text;

// As in JSON: no "0x10", no " 1", no "1_000".
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const asNumber = (text: string): number | undefined => (NUMBER.test(text) ? Number(text) : undefined);

export const text = (about: About<string>): Key<string> =>
  key(about, { schema: Type.String(), expected: "a text", read: asIs });

/** A non-empty text that matches `holds`. */
export const name = (
  expected: string,
  holds: (value: string) => boolean,
  about: About<string>,
): Key<string> =>
  key(about, {
    schema: Type.String({ minLength: 1 }),
    expected,
    read: asIs,
    misfit: (value) => (holds(value as string) ? undefined : value),
  });

export const whole = (minimum: number, maximum: number, about: About<number>): Key<number> =>
  key(about, {
    schema: Type.Integer({ minimum, maximum }),
    expected: `a whole number from ${minimum} to ${maximum}`,
    read: asNumber,
  });

/** A whole number, or one word. */
export const wholeOr = <W extends string>(
  word: W,
  minimum: number,
  maximum: number,
  about: About<number | W>,
): Key<number | W> =>
  key(about, {
    schema: Type.Union([Type.Integer({ minimum, maximum }), Type.Literal(word)]),
    expected: `a whole number from ${minimum} to ${maximum}, or "${word}"`,
    read: (given) => (given === word ? given : asNumber(given)),
  });

export const ratio = (about: About<number>): Key<number> =>
  key(about, {
    schema: Type.Number({ minimum: 0, maximum: 1 }),
    expected: "a number from 0 to 1",
    read: asNumber,
  });

export const flag = (about: About<boolean>): Key<boolean> =>
  key(about, {
    schema: Type.Boolean(),
    expected: "true or false",
    read: (given) => (given === "true" ? true : given === "false" ? false : undefined),
  });

export const oneOf = <const W extends string>(words: readonly W[], about: About<NoInfer<W>>): Key<W> =>
  key(about, {
    schema: Type.Union(words.map((word) => Type.Literal(word))),
    expected: `one of ${words.map((word) => `"${word}"`).join(", ")}`,
    read: asIs,
  });

/** In a variable: separated by commas, with optional blanks around them. */
export const list = (
  items: string,
  holds: (item: string) => boolean,
  about: About<readonly string[]>,
): Key<readonly string[]> =>
  key(
    about,
    {
      schema: Type.Array(Type.String()),
      expected: `a list of ${items}`,
      read: (given) => (given.trim() === "" ? [] : given.split(",").map((item) => item.trim())),
      misfit: (value) => (value as readonly string[]).find((item) => !holds(item)),
    },
    (value) => Object.freeze([...(value as readonly string[])]),
  );

/** In a variable: `name=word` pairs, separated by commas. */
export const wordByName = <const W extends string>(
  words: readonly W[],
  about: About<Readonly<Record<string, NoInfer<W>>>>,
): Key<Readonly<Record<string, W>>> =>
  key(
    about,
    {
      schema: Type.Record(Type.String(), Type.Union(words.map((word) => Type.Literal(word)))),
      expected: `a table of names, each with ${words.map((word) => `"${word}"`).join(", ")}`,
      read: readPairs,
    },
    (value) => Object.freeze(withoutPrototype(Object.entries(value as object))),
  );

/** In a variable: `name=text` pairs, separated by commas; texts are percent-decoded. */
export const textByName = (
  about: About<Readonly<Record<string, string>>>,
): Key<Readonly<Record<string, string>>> =>
  key(
    about,
    {
      schema: Type.Record(Type.String(), Type.String()),
      expected: "a table of names, each with a text",
      read: (given) => decoded(readPairs(given, /=(.*)/s)),
    },
    (value) => Object.freeze(withoutPrototype(Object.entries(value as object))),
  );

// RFC 9110, section 5.6.2, and the characters of a field's value.
const FIELD_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const FIELD_VALUE = /^[\t\x20-\x7e]*$/;

/** Headers with values that are never printed. In a variable as `textByName`. */
export const headers = (
  about: About<Readonly<Record<string, string>>>,
): Key<Secret<Readonly<Record<string, string>>>> => {
  const { schema, read, finish } = textByName(about);
  return key(
    about,
    {
      schema,
      expected: "a table of names of headers, each with a text",
      read,
      misfit: (value) =>
        Object.entries(value as Record<string, string>).every(
          ([name, given]) => FIELD_NAME.test(name) && FIELD_VALUE.test(given),
        )
          ? undefined
          : value,
      secret: true,
    },
    (value) => new Secret(finish(value)),
  );
};

/** At least 16 characters, never printed. */
export const token = (about: About<string | undefined>): Key<Secret<string> | undefined> => hidden(16, about);

/** A non-empty text, never printed. */
export const passphrase = (about: About<string | undefined>): Key<Secret<string> | undefined> =>
  hidden(1, about);

const hidden = (minLength: number, about: About<string | undefined>): Key<Secret<string> | undefined> =>
  key(
    about,
    {
      // Empty it is unset, so that a line that shows no secret may stand in a file.
      schema: Type.Union([Type.Literal(""), Type.String({ minLength })]),
      expected: minLength === 1 ? "a text" : `a text of at least ${minLength} characters`,
      read: asIs,
      secret: true,
      mayBeEmpty: true,
    },
    (value) => (value === undefined ? undefined : new Secret(value as string)),
  );

/** Printed without credentials. */
export const url = <D extends string | undefined>(
  schemes: readonly string[],
  about: About<D>,
): Key<Secret<string> | (undefined extends D ? undefined : never)> => {
  const finish = (value: unknown) =>
    value === undefined ? undefined : new Secret(value as string, shownUrl(value as string));
  const made: Made = {
    schema: Type.String(),
    expected: `a URL that begins with ${schemes.join(", ")}`,
    read: asIs,
    misfit: (value) => (isUrl(value as string, schemes) ? undefined : value),
    secret: true,
  };
  return key(about, made, finish as () => never);
};

/** The OpenTelemetry variables that are read after the framework's own: the first one that is set is used. */
export const otelNames = ({ otel }: Pick<Key, "otel">): readonly string[] =>
  otel === undefined ? [] : otel.traces === undefined ? [otel.name] : [otel.traces, otel.name];

/** A value as TOML and JSON write it, with secrets masked. */
export function shown(value: unknown): string {
  if (value === undefined) return "(unset)";
  // Not JSON.stringify, which writes NaN and Infinity as null.
  if (typeof value === "number") return String(value);
  if (value instanceof Secret) return String(value) === REDACTED ? REDACTED : JSON.stringify(value);
  return JSON.stringify(value);
}

export const isDerived = (value: unknown): value is Derived<unknown> =>
  typeof value === "object" && value !== null && Object.hasOwn(value, "from");

const isUrl = (given: string, schemes: readonly string[]): boolean =>
  URL.canParse(given) && schemes.some((scheme) => given.startsWith(scheme));

/** `between` separates a name and its value. */
function readPairs(given: string, between: string | RegExp = "="): Record<string, string> | undefined {
  if (given.trim() === "") return withoutPrototype([]);
  const partsOf = (pair: string) => pair.split(between).map((part) => part.trim());
  const pairs = given
    .split(",")
    .map((pair) => (typeof between === "string" ? partsOf(pair) : partsOf(pair).slice(0, 2)));
  return pairs.every((pair) => pair.length === 2 && pair[0] !== "")
    ? withoutPrototype(pairs as [string, string][])
    : undefined;
}

/** Undefined if a text is not percent-encoded correctly. */
function decoded(texts: Record<string, string> | undefined): unknown {
  if (texts === undefined) return undefined;
  try {
    return withoutPrototype(
      Object.entries(texts).map(([name, given]) => [name, decodeURIComponent(given)] as const),
    );
  } catch {
    return undefined;
  }
}

function withoutPrototype<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  const made: Record<string, T> = Object.create(null);
  for (const [name, value] of entries) made[name] = value;
  return made;
}

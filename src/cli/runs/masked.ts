// Stored values as commands show and export them: masked by name, by the marks of schemas where they
// are known, and where a value or a name is personal data.
//
//   MV1. A masked value keeps its keys and its structure: REDACTED stands in place of a text or number.
//        What is not a plain value (a Date, bytes: {"$": ...}) is masked as a whole: a part of it
//        could not be decoded. So is an object with a key that is personal data.
//   MV2. A value that is too large to be searched whole is masked whole.

import { findings, type PlacedFinding, textRules } from "#compliance/detection/detect.js";
import { VerifiedIdentity } from "#core/facts/ingress-facts.js";
import { IamIdentity } from "#core/iam/iam-identity.js";
import type { RunEntry } from "#core/ports/run-store.js";
import { REDACTED } from "#core/secrets/secret.js";
import type { Json } from "#core/wire/json-text.js";
import { decode } from "#runtime/kept/stored-value.js";
import { compileRedactor, type Redactor } from "#schema/redaction/redactor.js";

/** The redactor of a value of a node; of the end of the run for no node, "". */
export type RedactorOf = (node: string, side: "input" | "output") => Redactor;

/** Bounds beyond those of a stored value: an export has it whole. */
export const WHOLE = { maxDepth: 250, maxValues: 1e6, maxBytes: 1e8, maxText: 1e8 } as const;

const rules = textRules();
const short = compileRedactor();
const whole = compileRedactor(WHOLE);

/** A value for the screen: cut where it is long. */
export const shownValue = (value: unknown, name?: string): Json => masked(value, short, name);

/** A stored value, decoded. One that cannot be is shown as it is stored. */
export function shownStored(stored: Json, name?: string): Json {
  try {
    return shownValue(decode(stored), name);
  } catch {
    return shownValue(stored, name);
  }
}

/** No node: names decide, also those that schemas of other values mark. */
const BUS = "bus";

/** Members of entries that have values; the others are the structure of a log. */
const VALUES: ReadonlySet<string> = new Set(["payload", "error", "thrown", "actor", "value", "subject"]);

/** An entry that can be read and replayed as the log's own. */
export const maskedEntry = (entry: RunEntry, redactorOf: RedactorOf = () => whole): Json =>
  maskedPart(entry as unknown as Json, undefined, { node: "", redactorOf });

interface Within {
  readonly node: string;
  readonly redactorOf: RedactorOf;
}

function maskedPart(part: Json, name: string | undefined, within: Within): Json {
  const { node, redactorOf } = within;
  if (name === "input" || name === "output") return masked(part, redactorOf(node, name));
  if (name === "subject" || name === "fingerprint") return REDACTED;
  if (name !== undefined && VALUES.has(name)) return masked(part, redactorOf(node, "output"));
  if (Array.isArray(part)) return part.map((item: Json) => maskedPart(item, undefined, within));
  if (typeof part !== "object" || part === null) return part;
  const of = part as { readonly [name: string]: Json };
  const inner = typeof of["node"] === "string" ? { node: of["node"], redactorOf } : within;
  return mapped(of, (value, key) =>
    name === "bus" ? masked(value, redactorOf(BUS, "output"), key) : maskedPart(value, key, inner),
  );
}

/** A value at a JSON pointer below what the redactor knows. */
export function shownAt(pointer: string, value: Json, redactor: Redactor): Json {
  const path = pointer.split("/").slice(1);
  const around = path.reduceRight<Json>(
    (inner, step) =>
      /^\d+$/.test(step) ? [inner] : { [step.replaceAll("~1", "/").replaceAll("~0", "~")]: inner },
    value,
  );
  return path.reduce<Json>(
    (shown) => (typeof shown === "object" && shown !== null ? (Object.values(shown)[0] as Json) : shown),
    masked(around, redactor),
  );
}

const mapped = (
  of: { readonly [name: string]: Json },
  change: (value: Json, name: string) => Json,
): { readonly [name: string]: Json } =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [name, change(value, name)]));

function masked(value: unknown, redactor: Redactor, name?: string): Json {
  const named = redactor.redact(value, name).value;
  const wrapped = name === undefined ? named : { [name]: named };
  const { found, isWhole } = findings(wrapped, rules);
  // Padding would carry personal data past the search.
  if (!isWhole) return REDACTED;
  const result = found.reduce<Json>((rest, finding) => changed(rest, pathOf(finding)), wrapped);
  if (name === VerifiedIdentity.name) return REDACTED;
  if (name === IamIdentity.name) return withoutPerson(named);
  if (name === undefined || result === REDACTED) return result;
  return (result as { readonly [name: string]: Json })[name] as Json;
}

/** Steps decide by the roles of an identity. */
const withoutPerson = (identity: Json): Json =>
  typeof identity !== "object" || identity === null
    ? REDACTED
    : mapped(identity as { readonly [name: string]: Json }, (value, name) =>
        name === "roles" ? value : withoutLeaves(value),
      );

/** Of a key that is personal data the object around it. */
const pathOf = ({ path, part }: PlacedFinding): readonly string[] =>
  part === "key" ? [...path.slice(0, -1), WHOLLY] : path;

const WHOLLY = "\0";

function changed(value: Json, [step, ...rest]: readonly string[]): Json {
  if (step === undefined) return withoutLeaves(value);
  if (step === WHOLLY || step === "$") return REDACTED;
  // Masked already.
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.with(Number(step), changed(value[Number(step)] as Json, rest));
  return mapped(value as { readonly [name: string]: Json }, (inner, name) =>
    name === step ? changed(inner, rest) : inner,
  );
}

function withoutLeaves(value: Json): Json {
  if (typeof value === "string" || typeof value === "number") return value === "" ? value : REDACTED;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutLeaves);
  return Object.hasOwn(value, "$")
    ? REDACTED
    : mapped(value as { readonly [name: string]: Json }, withoutLeaves);
}

// What a verifier said went wrong, as it may be logged: errors quote what was given, in their
// text, in what caused them, in members of their own.

import { IamError } from "./iam-error.js";

/** Beyond that many values nobody looks, and what has not been looked at counts as a token. */
const MAX_VALUES = 500;

/** What is shorter guards nothing, and taken out would make a riddle of every line. */
const MIN_LENGTH = 6;

/** The thing itself where the token is nowhere in it. Otherwise what can be said of it without. */
export function withoutToken(thing: unknown, token: string): unknown {
  if (token.length < MIN_LENGTH) return thing;
  if (typeof thing === "string") return thing.replaceAll(token, "[token]");
  if (!holds(thing, token)) return thing;
  if (!(thing instanceof Error)) return "something that holds the token";
  return retold(thing, token);
}

/** The same of what a verifier answered: it goes on as a fault, and whoever is told of that may write it. */
export function errorWithoutToken(error: IamError, token: string): IamError {
  const { kind, reason, cause } = error;
  if (kind !== "VerifierUnavailable" && kind !== "InvalidToken") return error;
  const why = withoutToken(reason, token) as typeof reason;
  const causedBy = withoutToken(cause, token);
  if (why === reason && causedBy === cause) return error;
  return kind === "InvalidToken"
    ? IamError.invalidToken(why ?? "", causedBy)
    : IamError.verifierUnavailable(why ?? "", causedBy);
}

/** Its text and what caused it. Members of its own are left out. */
function retold(error: Error, token: string): Error {
  const texts = textsOf(error);
  const told = new Error(texts.message.replaceAll(token, "[token]"));
  told.stack = texts.stack.replaceAll(token, "[token]");
  if (texts.cause !== undefined) told.cause = withoutToken(texts.cause, token);
  return told;
}

function textsOf(error: Error): { message: string; stack: string; cause: unknown } {
  try {
    const { message, stack, cause } = error;
    // What leads back to itself has no end.
    return {
      message: `${message}`,
      stack: `${stack}`,
      cause: causes(error) > MAX_CAUSES ? undefined : cause,
    };
  } catch {
    return { message: "an error that cannot be read", stack: "", cause: undefined };
  }
}

const MAX_CAUSES = 8;

function causes(error: Error): number {
  let count = 0;
  for (let at: unknown = error; at instanceof Error && count <= MAX_CAUSES; at = at.cause) count += 1;
  return count;
}

function holds(thing: unknown, token: string): boolean {
  const seen = new Set<unknown>([thing]);
  try {
    // A set is gone through with what is added on the way.
    for (const value of seen) {
      if (seen.size > MAX_VALUES) return true;
      if (typeof value === "string" && value.includes(token)) return true;
      if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) continue;
      for (const name of Object.getOwnPropertyNames(value)) {
        if (name.includes(token)) return true;
        seen.add((value as Readonly<Record<string, unknown>>)[name]);
      }
      if (value instanceof Map || value instanceof Set) for (const item of value) seen.add(item);
    }
    return false;
  } catch {
    // A getter, or a proxy: what it would tell somebody else nobody knows.
    return true;
  }
}

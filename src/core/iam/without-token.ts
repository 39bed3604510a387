// Removes the token from a verifier's error before it is logged: errors quote their input in
// the message, in the cause and in own properties.

import { IamError } from "./iam-error.js";

/** Maximum number of values searched. An unsearched value counts as a token. */
const MAX_VALUES = 500;

/** A shorter token protects nothing, and removing it would make log lines unreadable. */
const MIN_LENGTH = 6;

/** The value itself if it does not contain the token, else a text without the token. */
export function withoutToken(thing: unknown, token: string): unknown {
  if (token.length < MIN_LENGTH) return thing;
  if (typeof thing === "string") return thing.replaceAll(token, "[token]");
  if (!holds(thing, token)) return thing;
  if (!(thing instanceof Error)) return "something that holds the token";
  return retold(thing, token);
}

/** The same for a verifier's error: it becomes a fault, which other code may log. */
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

/** Copies the message and the cause. Own properties are omitted. */
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
    // A cycle has no end.
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
    // Iterating a set includes entries that are added meanwhile.
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
    // A getter or a proxy: it may return another value to other code.
    return true;
  }
}

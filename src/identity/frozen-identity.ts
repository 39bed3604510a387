import type { IamIdentity } from "#core/iam-identity.js";
import type { Json } from "#core/run-store.js";

/** Deeper claims are none that anybody reads; and whoever copies them needs a stack as deep. */
const MAX_DEPTH = 64;

/**
 * A copy that nobody can change, whatever becomes of the original: one that is remembered goes to
 * many runs. Undefined for what is no identity, or not plain data throughout.
 */
export function frozenIdentity(value: unknown): IamIdentity | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { subject, issuer, roles, claims, expiresAt } = value as Partial<Record<keyof IamIdentity, unknown>>;
  if (typeof subject !== "string" || !(issuer === undefined || typeof issuer === "string")) return undefined;
  if (!Array.isArray(roles) || !roles.every((role) => typeof role === "string")) return undefined;
  if (typeof claims !== "object" || claims === null || Array.isArray(claims)) return undefined;
  if (expiresAt !== undefined && (typeof expiresAt !== "number" || Number.isNaN(expiresAt))) return undefined;
  const copied = frozen(claims, 0);
  if (copied === undefined) return undefined;
  return Object.freeze({
    subject,
    ...(issuer !== undefined && { issuer }),
    roles: Object.freeze([...roles]),
    claims: copied as IamIdentity["claims"],
    ...(expiresAt !== undefined && { expiresAt }),
  });
}

/** Undefined for what is no JSON. */
function frozen(value: unknown, depth: number): Json | undefined {
  if (typeof value !== "object") return isPlain(value) ? value : undefined;
  if (value === null) return null;
  if (depth === MAX_DEPTH) return undefined;
  return Array.isArray(value) ? frozenList(value, depth + 1) : frozenObject(value, depth + 1);
}

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

function frozenList(list: readonly unknown[], depth: number): Json | undefined {
  const copy: Json[] = [];
  for (const item of list) {
    const copied = frozen(item, depth);
    if (copied === undefined) return undefined;
    copy.push(copied);
  }
  return Object.freeze(copy);
}

function frozenObject(object: object, depth: number): Json | undefined {
  const prototype: unknown = Object.getPrototypeOf(object);
  // A Date or a Map would come out empty. Another realm's objects are plain too.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return undefined;
  const copy = Object.create(null) as Record<string, Json>;
  for (const [name, member] of Object.entries(object)) {
    // As JSON has it: what is undefined is not there.
    if (member === undefined) continue;
    const copied = frozen(member, depth);
    if (copied === undefined) return undefined;
    copy[name] = copied;
  }
  return Object.freeze(copy);
}

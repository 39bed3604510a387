import type { IamIdentity } from "./iam-identity.js";

/** Maximum depth of claims. Deeper and cyclic claims are invalid. */
const MAX_DEPTH = 64;

/** Frozen identities, and their names. */
const kept = new WeakMap<object, string>();

/**
 * The result of a verifier as a deeply frozen identity: it may be cached and returned again.
 * Frozen in place, without a copy. Undefined if it is no identity.
 */
export function ownedIdentity(answer: unknown): IamIdentity | undefined {
  if (typeof answer !== "object" || answer === null) return undefined;
  if (kept.has(answer)) return answer as IamIdentity;
  if (lacking(answer) !== undefined) return undefined;
  return freezeWithin(answer, 0) ? (answer as IamIdentity) : undefined;
}

export function keptIdentity(answer: unknown): IamIdentity | undefined {
  const identity = ownedIdentity(answer);
  if (identity !== undefined) kept.set(identity, nameOf(identity));
  return identity;
}

/** What makes a result an invalid identity, without quoting it. */
export function identityProblem(answer: unknown): string {
  if (typeof answer !== "object" || answer === null) return answer === null ? "null" : typeof answer;
  return lacking(answer) ?? `claims deeper than ${MAX_DEPTH}`;
}

function lacking(answer: object): string | undefined {
  const { subject, issuer, roles, claims, expiresAt } = answer as Readonly<Record<string, unknown>>;
  if (!isName(subject)) return "an object without a subject, a text that is not empty";
  if (issuer !== undefined && !isName(issuer)) return "an issuer that is no text, or empty";
  if (!Array.isArray(roles) || !roles.every((role) => typeof role === "string"))
    return "roles that are no list of texts";
  if (typeof claims !== "object" || claims === null || Array.isArray(claims))
    return "claims that are no object";
  if (expiresAt !== undefined && (typeof expiresAt !== "number" || Number.isNaN(expiresAt)))
    return "an expiresAt that is no number";
  return undefined;
}

const isName = (value: unknown): boolean => typeof value === "string" && value !== "";

/** Also checks frozen objects, which may contain mutable ones. False if nested too deep. */
function freezeWithin(whole: object, depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(whole)) {
    for (let i = 0; i < whole.length; i += 1) if (!freezeValue(whole[i], depth + 1)) return false;
  } else
    for (const name in whole)
      if (!freezeValue((whole as Readonly<Record<string, unknown>>)[name], depth + 1)) return false;
  Object.freeze(whole);
  return true;
}

const freezeValue = (value: unknown, depth: number): boolean =>
  typeof value !== "object" || value === null || freezeWithin(value, depth);

/** Identifies a subject among all issuers: different pairs of issuer and subject give different texts. */
export const verifiedName = (identity: IamIdentity): string => kept.get(identity) ?? nameOf(identity);

function nameOf({ subject, issuer }: IamIdentity): string {
  if (issuer !== undefined) return `${issuer.length}:${issuer}:${subject}`;
  return LIKE_A_PAIR.test(subject) ? `0::${subject}` : subject;
}

const LIKE_A_PAIR = /^\d+:/;

/** Whether a text is the name of a subject with an issuer. */
export function isPair(name: string): boolean {
  const [digits] = LIKE_A_PAIR.exec(name) ?? [];
  return digits !== undefined && name[digits.length + Number.parseInt(digits, 10)] === ":";
}

import type { IamIdentity } from "./iam-identity.js";

/** Those that were looked at and are frozen to the last level. Who remembers identities brings the same ones again. */
const owned = new WeakSet<object>();

/**
 * What a verifier answered, as an identity that no step can change: whoever remembers it
 * answers it to others. Frozen in its place, for a copy would cost each request. Undefined for
 * what is none.
 */
export function ownedIdentity(answer: unknown): IamIdentity | undefined {
  if (typeof answer !== "object" || answer === null) return undefined;
  if (owned.has(answer)) return answer as IamIdentity;
  if (!isIdentity(answer)) return undefined;
  // Frozen already, it is met again: noting each that is not would cost more than freezing it.
  const isKept = Object.isFrozen(answer);
  freezeWithin(answer);
  if (isKept) owned.add(answer);
  return answer;
}

function isIdentity(answer: object): answer is IamIdentity {
  const { subject, issuer, roles, claims, expiresAt } = answer as Readonly<Record<string, unknown>>;
  return (
    isName(subject) &&
    (issuer === undefined || isName(issuer)) &&
    Array.isArray(roles) &&
    roles.every((role) => typeof role === "string") &&
    typeof claims === "object" &&
    claims !== null &&
    !Array.isArray(claims) &&
    (expiresAt === undefined || (typeof expiresAt === "number" && !Number.isNaN(expiresAt)))
  );
}

const isName = (value: unknown): boolean => typeof value === "string" && value !== "";

/** Looks into what is frozen already, too, for that may hold what is not; at each object once. */
function freezeWithin(whole: object): void {
  const found = new Set<object>([whole]);
  // A Set's iteration goes on with what is added meanwhile.
  for (const part of found) {
    Object.freeze(part);
    for (const value of Object.values(part))
      if (typeof value === "object" && value !== null) found.add(value);
  }
}

/**
 * What names a subject among those of all issuers. With an issuer the length of its name stands
 * in front, so that no two pairs are one text; a subject alone that could be taken for such a
 * pair is that of the issuer without a name.
 */
export function verifiedName({ subject, issuer }: IamIdentity): string {
  if (issuer !== undefined) return `${issuer.length}:${issuer}:${subject}`;
  return LIKE_A_PAIR.test(subject) ? `0::${subject}` : subject;
}

const LIKE_A_PAIR = /^\d+:/;

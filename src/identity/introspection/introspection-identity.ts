// Turns an introspection response (RFC 7662, section 2.2) into an identity. Members of the response
// are trusted. Missing members, or members of another type, are not guessed.

import { IamError } from "#core/iam/iam-error.js";
import type { IamIdentity } from "#core/iam/iam-identity.js";
import type { Json } from "#core/wire/json-text.js";
import { hasAudience, isNumericDate, rolesOf } from "../jwt/jwt-claims.js";
import { shown } from "../shown-value.js";
import type { JsonMembers } from "../strict-json.js";

export interface IntrospectionRules {
  readonly issuer: string | undefined;
  readonly audiences: ReadonlySet<unknown> | undefined;
  readonly clientIsSubject: boolean;
  readonly needsTokenType: boolean;
  readonly rolesPath: readonly string[];
  readonly clockSkewMs: number;
}

/** Returns a text if the response is malformed: it then states nothing about the token. */
export function identityOfAnswer(
  answer: JsonMembers,
  rules: IntrospectionRules,
  nowMs: number,
): IamIdentity | IamError | string {
  const { active, iss } = answer;
  // The text "true" is not accepted: a server that sends it may send "false" too.
  // hole: "false" as a text would pass for true
  if (typeof active !== "boolean") return "it answered without the boolean 'active'";
  if (!active) return IamError.invalidToken("the token is not active");
  const malformed = malformedMember(answer);
  if (malformed !== undefined) return `it answered with ${malformed}`;
  const refused = refusal(answer, rules);
  if (refused !== undefined) return refused;
  const subject = subjectOf(answer, rules.clientIsSubject);
  if (subject === undefined) return invalid("sub is missing: the token has no subject");
  const roles = rolesOf(answer, rules.rolesPath);
  if (roles === undefined) return invalid(`${rules.rolesPath.join(".")} is no list of texts`);
  // Checked last: only a token that is otherwise valid is reported as expired.
  const late = timeRefusal(answer, rules.clockSkewMs, nowMs);
  if (late !== undefined) return late;
  const { exp } = answer;
  return {
    subject,
    ...(typeof iss === "string" && { issuer: iss }),
    roles,
    claims: claimsOf(answer),
    ...(typeof exp === "number" && { expiresAt: exp * 1000 }),
  };
}

const invalid = (reason: string): IamError => IamError.invalidToken(reason);

function malformedMember(answer: JsonMembers): string | undefined {
  for (const name of ["exp", "nbf"])
    if (answer[name] !== undefined && !isNumericDate(answer[name]))
      return `an ${name} that is no NumericDate`;
  for (const name of ["sub", "client_id", "iss", "token_type", "token_use"])
    if (answer[name] !== undefined && typeof answer[name] !== "string") return `a ${name} that is no text`;
  return undefined;
}

function refusal(answer: JsonMembers, rules: IntrospectionRules): IamError | undefined {
  const { iss, aud, token_type: type, token_use: use, cnf } = answer;
  if (rules.issuer !== undefined && iss !== rules.issuer)
    return invalid(`iss is ${shown(iss)}, not ${shown(rules.issuer)}`);
  if (rules.audiences !== undefined && !hasAudience(aud, rules.audiences))
    return invalid(`aud is ${shown(aud)}, which names another audience`);
  // Valid only with a proof of possession (RFC 9449, section 7; RFC 8705, section 3), which is not supported.
  // hole: a stolen token that is bound to a key would pass
  if (cnf !== undefined) return invalid("the token is bound to a key");
  // A refresh token is active too, and has no type or another one.
  if (type === undefined ? rules.needsTokenType : (type as string).toLowerCase() !== "bearer")
    return invalid(`token_type is ${shown(type)}, not Bearer`);
  if (use !== undefined && use !== "access_token") return invalid(`token_use is ${shown(use)}`);
  return undefined;
}

function timeRefusal({ exp, nbf }: JsonMembers, skewMs: number, nowMs: number): IamError | undefined {
  if (nbf !== undefined && (nbf as number) * 1000 > nowMs + skewMs) return invalid("nbf is still to come");
  return exp !== undefined && nowMs >= (exp as number) * 1000 + skewMs ? IamError.expired() : undefined;
}

function subjectOf({ sub, client_id: client }: JsonMembers, clientIsSubject: boolean): string | undefined {
  const subject = sub === undefined && clientIsSubject ? client : sub;
  return typeof subject === "string" && subject !== "" ? subject : undefined;
}

function claimsOf(answer: JsonMembers): JsonMembers {
  const claims = Object.create(null) as Record<string, Json>;
  for (const [name, value] of Object.entries(answer)) if (name !== "active") claims[name] = value;
  return claims;
}

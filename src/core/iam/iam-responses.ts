import { type DeclaredResponse, declaredOf } from "../bus/declared-response.js";
import { type IdentityCode, identityCodes } from "../error-codes.js";
import type { IamPolicy } from "./iam-policy.js";
import type { IamRule } from "./iam-rule.js";

/** Refusals of a policy if the credential is verified elsewhere: 401 and 403. */
export function policyResponses({ rule, demandsIdentity }: IamPolicy): readonly DeclaredResponse[] {
  const bad: readonly IdentityCode[] = demandsIdentity ? ["TOKEN_EXPIRED", "TOKEN_MISSING"] : [];
  return declaredOf(identityCodes, ...bad, ...wantsOf(rule));
}

/** The same with the verification of a token: also 503. */
export function boundaryResponses(policy: IamPolicy): readonly DeclaredResponse[] {
  const { forgivesBadTokens } = policy;
  const verified: readonly IdentityCode[] = forgivesBadTokens
    ? []
    : ["TOKEN_EXPIRED", "TOKEN_INVALID", "VERIFIER_UNAVAILABLE"];
  const own = policyResponses(policy).filter(({ code }) => !verified.some((one) => one === code));
  return [...declaredOf(identityCodes, ...verified), ...own];
}

/** Reasons to refuse a caller with a verified identity. */
function wantsOf(rule: IamRule): readonly IdentityCode[] {
  switch (rule.kind) {
    case "role":
      return ["ROLE_INSUFFICIENT"];
    case "claims":
    case "claim":
    case "scopes":
      return ["CLAIMS_MISSING"];
    case "anyOf": {
      const wants = rule.rules.map(wantsOf);
      // The first part gives the reason.
      return wants.some((want) => want.length === 0) ? [] : (wants[0] ?? []);
    }
    case "allOf":
      return [...new Set(rule.rules.flatMap(wantsOf))];
    default:
      return [];
  }
}

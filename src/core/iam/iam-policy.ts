import { FrameworkError } from "../errors.js";
import { requireKnownOptions } from "../invalid-option.js";
import { IamError } from "./iam-error.js";
import type { IamIdentity } from "./iam-identity.js";
import { admits, type ClaimValue, describeRule, type IamRule, isAtLeast } from "./iam-rule.js";

type Decide = (identity: IamIdentity | undefined) => IamError | undefined;

type AnyOf<P extends readonly IamPolicy[]> = [P[number]] extends [IamPolicy<true>] ? true : false;
type AllOf<P extends readonly IamPolicy[]> = [Extract<P[number], IamPolicy<true>>] extends [never]
  ? false
  : true;

/**
 * Decides which callers are admitted. `Demands` is true if every admitted caller has an
 * identity: then steps behind it can `get` the {@link IamIdentity}, otherwise `find` it.
 * Frozen data, checked when it is made.
 */
export class IamPolicy<out Demands extends boolean = boolean> {
  readonly rule: IamRule;
  /** As drawn: `role "admin"`. */
  readonly description: string;
  readonly demandsIdentity: Demands;
  /** True if a caller with an invalid token is admitted as anonymous. */
  readonly forgivesBadTokens: boolean;
  readonly decide: Decide;

  private constructor(rule: IamRule) {
    this.rule = Object.freeze(rule);
    this.description = describeRule(rule);
    this.demandsIdentity = !admits(rule, "without a token") as Demands;
    this.forgivesBadTokens = admits(rule, "with a bad token");
    this.decide = decider(rule);
    Object.freeze(this);
  }

  /**
   * Admits every caller. Steps can `find` the identity of a valid token. A caller with a token
   * that is invalid or cannot be verified is anonymous, or is refused with `strict`.
   */
  static none(options: { readonly strict?: boolean } = {}): IamPolicy<false> {
    requireKnownOptions("IamPolicy.none", options, ["strict"]);
    const { strict = false } = options;
    if (typeof strict !== "boolean")
      throw invalid(`none({ strict: ${String(strict)} })`, "give true or false");
    return new IamPolicy({ kind: "none", strict });
  }

  static requireIdentity(): IamPolicy<true> {
    return new IamPolicy({ kind: "identity" });
  }

  static requireRole(role: string): IamPolicy<true> {
    const [checked = ""] = names("requireRole", "role", [role]);
    return new IamPolicy({ kind: "role", role: checked });
  }

  /** Requires the claims to exist, with any value. */
  static requireClaims(claims: readonly string[]): IamPolicy<true> {
    return new IamPolicy({ kind: "claims", names: names("requireClaims", "claim", claims) });
  }

  /** Requires a claim to be one of these values, or a list that contains one of them. */
  static requireClaim(name: string, values: readonly ClaimValue[]): IamPolicy<true> {
    const [checked = ""] = names("requireClaim", "claim", [name]);
    if (!Array.isArray(values) || values.length === 0 || !values.every(isClaimValue))
      throw invalid(
        "requireClaim",
        'give a list of at least one text, number, true or false, as in requireClaim("team", ["ops"])',
      );
    return new IamPolicy({ kind: "claim", name: checked, values: Object.freeze([...values]) });
  }

  /** Requires all of these scopes, in the claim `scope` (RFC 8693: separated by spaces) or else `scp` (a list). */
  static requireScopes(scopes: readonly string[]): IamPolicy<true> {
    const checked = names("requireScopes", "scope", scopes);
    const bad = checked.find((scope) => !SCOPE.test(scope));
    if (bad !== undefined)
      throw invalid(
        `requireScopes([${JSON.stringify(bad)}])`,
        "a scope is visible ASCII without quotes and backslashes (RFC 6749, section 3.3)",
      );
    return new IamPolicy({ kind: "scopes", scopes: checked });
  }

  static anyOf<const P extends readonly IamPolicy[]>(...policies: P): IamPolicy<AnyOf<P>> {
    return new IamPolicy({ kind: "anyOf", rules: rulesOf("anyOf", policies) });
  }

  static allOf<const P extends readonly IamPolicy[]>(...policies: P): IamPolicy<AllOf<P>> {
    return new IamPolicy({ kind: "allOf", rules: rulesOf("allOf", policies) });
  }

  /** Whether the other policy admits every caller that this one admits, by their form. False means "not proven". */
  isAtLeast(other: IamPolicy): boolean {
    return isAtLeast(this.rule, other.rule);
  }
}

/** A scope-token of RFC 6749, section 3.3, for the quoted text of a challenge. */
const SCOPE = /^[!#-[\]-~]+$/;

const invalid = (call: string, remedy: string): FrameworkError =>
  new FrameworkError("CONFIG_INVALID", `IamPolicy.${call}: ${remedy}`);

function names(call: string, what: string, given: readonly string[]): readonly string[] {
  if (!Array.isArray(given)) throw invalid(call, `give a list, as in ${call}(["${what}"])`);
  if (given.length === 0)
    throw invalid(call, `give at least one ${what}: a list without any would let everybody in`);
  if (!given.every((name) => typeof name === "string" && name !== ""))
    throw invalid(
      call,
      `a ${what} is a text that is not empty; of several policies make one by anyOf(a, b) or allOf(a, b)`,
    );
  return Object.freeze([...given]);
}

const isClaimValue = (value: unknown): boolean =>
  typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);

function rulesOf(call: string, policies: readonly IamPolicy[]): readonly IamRule[] {
  if (policies.length === 0) throw invalid(call, "give at least one policy");
  if (policies.some(Array.isArray)) throw invalid(call, `give them one by one, ${call}(a, b), not as a list`);
  return Object.freeze(policies.map((policy) => requirePolicy(`IamPolicy.${call}`, policy).rule));
}

export function requirePolicy(where: string, policy: unknown): IamPolicy {
  const { rule, decide } = (policy ?? {}) as Partial<IamPolicy>;
  if (typeof rule?.kind === "string" && typeof decide === "function") return policy as IamPolicy;
  throw new FrameworkError("CONFIG_INVALID", `${where} was given ${policyProblem(policy)}`);
}

function policyProblem(given: unknown): string {
  const { verify } = (given ?? {}) as { readonly verify?: unknown };
  if (typeof verify === "function")
    return "a verifier where the policy stands: the policy is the first of the two";
  if (typeof given === "function")
    return "a function for a policy: call it, as in IamPolicy.requireIdentity()";
  return 'no policy: make one, as in IamPolicy.requireIdentity() or IamPolicy.requireRole("admin")';
}

const MISSING = IamError.missingToken();

/** Errors are made once, here: they are the same for every caller. */
function decider(rule: IamRule): Decide {
  switch (rule.kind) {
    case "none":
      return () => undefined;
    case "identity":
      return (identity) => (identity === undefined ? MISSING : undefined);
    case "role": {
      const { role } = rule;
      return unless(({ roles }) => roles.includes(role), IamError.insufficientRole(wanted(rule)));
    }
    case "claims": {
      const { names } = rule;
      const hasAll = ({ claims }: IamIdentity): boolean => names.every((name) => Object.hasOwn(claims, name));
      return unless(hasAll, IamError.missingClaims(wanted(rule)));
    }
    case "claim": {
      const { name, values } = rule;
      return unless(
        ({ claims }) => {
          const claim: unknown = Object.hasOwn(claims, name) ? claims[name] : undefined;
          return values.some((value) => claim === value || (Array.isArray(claim) && claim.includes(value)));
        },
        IamError.missingClaims(wanted(rule)),
      );
    }
    case "scopes": {
      const { scopes } = rule;
      const grants = ({ claims }: IamIdentity): boolean => {
        const granted = scopesOf(claims);
        return scopes.every((scope) => granted.includes(scope));
      };
      return unless(grants, IamError.missingClaims(wanted(rule), scopes.join(" ")));
    }
    case "anyOf": {
      const decide = rule.rules.map(decider);
      const whole = saidOf(rule);
      return (identity) => {
        let first: IamError | undefined;
        for (const each of decide) {
          const error = each(identity);
          if (error === undefined) return undefined;
          first ??= error;
        }
        return first && whole(first);
      };
    }
    case "allOf": {
      const decide = rule.rules.map(decider);
      return (identity) => {
        for (const each of decide) {
          const error = each(identity);
          if (error !== undefined) return error;
        }
        return undefined;
      };
    }
  }
}

const wanted = (rule: IamRule): string => `missing ${describeRule(rule)}`;

/** Maps the refusal of one part of a rule to the rule's own reason: any other part would have been sufficient. */
function saidOf(rule: IamRule): (error: IamError) => IamError {
  const reason = wanted(rule);
  // The errors of the parts, which are made once.
  const known = new Map<IamError, IamError>([[MISSING, MISSING]]);
  return (error) => {
    const said = known.get(error) ?? restated(error, reason);
    known.set(error, said);
    return said;
  };
}

const restated = ({ kind, scope }: IamError, reason: string): IamError =>
  kind === "InsufficientRole" ? IamError.insufficientRole(reason) : IamError.missingClaims(reason, scope);

const unless =
  (isGood: (identity: IamIdentity) => boolean, error: IamError): Decide =>
  (identity) => {
    if (identity === undefined) return MISSING;
    return isGood(identity) ? undefined : error;
  };

function scopesOf(claims: IamIdentity["claims"]): readonly unknown[] {
  const name = Object.hasOwn(claims, "scope") ? "scope" : "scp";
  const granted: unknown = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (typeof granted === "string") return granted.split(" ");
  return Array.isArray(granted) ? granted : [];
}

// The demands of a policy as data, and which of two policies is stricter. A rule is a set of
// callers: with an identity, without a token, with an invalid token.

export type ClaimValue = string | number | boolean;

export type IamRule =
  | { readonly kind: "none"; readonly strict: boolean }
  | { readonly kind: "identity" }
  | { readonly kind: "role"; readonly role: string }
  | { readonly kind: "claims"; readonly names: readonly string[] }
  | { readonly kind: "claim"; readonly name: string; readonly values: readonly ClaimValue[] }
  | { readonly kind: "scopes"; readonly scopes: readonly string[] }
  | { readonly kind: "anyOf"; readonly rules: readonly IamRule[] }
  | { readonly kind: "allOf"; readonly rules: readonly IamRule[] };

/** Whether it admits a caller without an identity: one without a token, or with an invalid token. */
export function admits(rule: IamRule, caller: "without a token" | "with a bad token"): boolean {
  switch (rule.kind) {
    case "none":
      return caller === "without a token" || !rule.strict;
    case "anyOf":
      return rule.rules.some((part) => admits(part, caller));
    case "allOf":
      return rule.rules.every((part) => admits(part, caller));
    default:
      return false;
  }
}

/** A rule as text: "role "admin" or scopes "read"". Equal rules have equal texts. */
export function describeRule(rule: IamRule): string {
  switch (rule.kind) {
    case "none":
      return rule.strict ? "anybody, but no token that is not valid" : "anybody";
    case "identity":
      return "any identity";
    case "role":
      return `role ${quoted([rule.role])}`;
    case "claims":
      return `claims ${quoted(rule.names)}`;
    case "claim":
      return `claim ${quoted([rule.name])} with ${rule.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    case "scopes":
      return `scopes ${quoted(rule.scopes)}`;
    case "anyOf":
      return rule.rules.map(describePart).join(" or ");
    case "allOf":
      return rule.rules.map(describePart).join(" and ");
  }
}

const quoted = (names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(", ");

const describePart = (rule: IamRule): string => {
  const text = describeRule(rule);
  return rule.kind === "anyOf" || rule.kind === "allOf" || rule.kind === "claim" ? `(${text})` : text;
};

/**
 * Whether `b` admits every identity that `a` admits, judged by form: it does not expand "and" and
 * "or", and does not know the data. False means: not proven.
 */
export const isAtLeast = (a: IamRule, b: IamRule): boolean => implies(formOf(a), formOf(b));

/** `implied` are the texts of all weaker rules, its own first. */
type Form =
  | { readonly kind: "atom"; readonly implied: readonly string[] }
  | { readonly kind: "any" | "all"; readonly parts: readonly Form[] };

const NONE = ["none"];
const STRICT = ["strict", ...NONE];
const IDENTITY = ["identity", ...STRICT];

const atom = (...implied: readonly string[]): Form => ({ kind: "atom", implied });
const any = (parts: readonly Form[]): Form => ({ kind: "any", parts });
const all = (parts: readonly Form[]): Form => ({ kind: "all", parts });

/** All of several names, any of several values: lists are compared as sets. */
function formOf(rule: IamRule): Form {
  switch (rule.kind) {
    case "none":
      return atom(...(rule.strict ? STRICT : NONE));
    case "identity":
      return atom(...IDENTITY);
    case "role":
      return atom(`role ${rule.role}`, ...IDENTITY);
    case "claims":
      return all(rule.names.map((name) => atom(`has ${name}`, ...IDENTITY)));
    case "claim": {
      const { name, values } = rule;
      return any(
        values.map((value) => atom(`holds ${JSON.stringify([name, value])}`, `has ${name}`, ...IDENTITY)),
      );
    }
    case "scopes":
      return all(rule.scopes.map((scope) => atom(`scope ${scope}`, ...IDENTITY)));
    case "anyOf":
      return any(rule.rules.map(formOf));
    case "allOf":
      return all(rule.rules.map(formOf));
  }
}

function implies(a: Form, b: Form): boolean {
  if (a.kind === "any") return a.parts.every((part) => implies(part, b));
  if (b.kind === "all") return b.parts.every((part) => implies(a, part));
  if (a.kind === "atom" && b.kind === "atom") return a.implied.includes(b.implied[0] as string);
  return (
    (a.kind === "all" && a.parts.some((part) => implies(part, b))) ||
    (b.kind === "any" && b.parts.some((part) => implies(a, part)))
  );
}

import type { DrawnPolicy } from "#core/flow/schematic.js";
import { type IamRule, isAtLeast } from "#core/iam/iam-rule.js";
import type { Changes } from "./change.js";
import type { FlatSchematic } from "./flat-schematic.js";

/** Compares the callers that the identity check and the guards of a circuit admit together. */
export function comparePolicies(base: FlatSchematic, head: FlatSchematic, changes: Changes): void {
  const [before, after] = [policiesOf(base), policiesOf(head)];
  const [was, now] = [textOf(before), textOf(after)];
  if (was === now) return;
  const [old, next] = [ruleOf(before), ruleOf(after)];
  // An export by an earlier release has no rules: another text may be weaker.
  const isWeaker = old === undefined || next === undefined || !isAtLeast(next, old);
  const isStronger = old === undefined || next === undefined || !isAtLeast(old, next);
  const node = after.at(0)?.node;
  changes.add(
    "iam",
    isWeaker ? "weakened" : isStronger ? "strengthened" : "changed",
    `lets in ${now}, was ${was}`,
    {
      ...(node !== undefined && { node }),
      rule: isWeaker ? "iam_weakening" : undefined,
    },
  );
}

interface Policy extends Partial<DrawnPolicy> {
  readonly node: string;
}

const policiesOf = ({ nodes }: FlatSchematic): readonly Policy[] =>
  [...nodes.values()].flatMap(({ id, iam, admits }) => {
    const drawn = iam ?? admits;
    return drawn === undefined ? [] : [{ node: id, ...drawn }];
  });

const textOf = (policies: readonly Policy[]): string =>
  policies.length === 0 ? "anybody" : policies.map(({ policy }) => policy).join(" and ");

function ruleOf(policies: readonly Policy[]): IamRule | undefined {
  const rules = policies.flatMap(({ rule }) => (isRule(rule) ? [rule] : []));
  if (rules.length < policies.length) return undefined;
  return rules.length === 0 ? { kind: "none", strict: false } : { kind: "allOf", rules };
}

const LISTS: Readonly<Record<IamRule["kind"], string | undefined>> = {
  none: undefined,
  identity: undefined,
  role: undefined,
  claims: "names",
  claim: "values",
  scopes: "scopes",
  anyOf: "rules",
  allOf: "rules",
};

/** False for rules that this release does not know. */
function isRule(rule: unknown): rule is IamRule {
  const { kind } = (rule ?? {}) as { readonly kind?: string };
  if (kind === undefined || !Object.hasOwn(LISTS, kind)) return false;
  const list = LISTS[kind as IamRule["kind"]];
  if (list === undefined) return true;
  const parts = (rule as Readonly<Record<string, unknown>>)[list];
  return Array.isArray(parts) && (list !== "rules" || parts.every(isRule));
}

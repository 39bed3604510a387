import type { Allowance, Policy } from "./policy.js";

/** Anything that a rule can deny. */
export interface Deniable<Rule extends string> {
  /** Undefined if no rule denies it. */
  readonly rule: Rule | undefined;
  readonly axon: string;
}

interface Denied<T, Rule extends string> {
  readonly change: T & { readonly rule: Rule };
  /** An expired allowance for it. */
  readonly expired: Allowance | undefined;
}

export interface Verdict<T, Rule extends string = string> {
  readonly denied: readonly Denied<T, Rule>[];
  readonly allowed: readonly { readonly change: T; readonly by: Allowance }[];
  /** Allowances that match nothing. */
  readonly unused: readonly Allowance[];
}

/**
 * `partOf` is what the part of an allowance names. `today` is a day such as 2026-12-31: an allowance
 * is valid until the end of its last day.
 */
export function judge<Rule extends string, T extends Deniable<Rule>>(
  changes: readonly T[],
  { deny, allow }: Policy<Rule>,
  partOf: (change: T) => string | undefined,
  today: string,
): Verdict<T, Rule> {
  const denied: Denied<T, Rule>[] = [];
  const allowed: { readonly change: T; readonly by: Allowance }[] = [];
  const used = new Set<Allowance>();
  for (const change of changes) {
    const { rule, axon } = change;
    if (rule === undefined || !deny.has(rule)) continue;
    const fitting = allow.filter(
      (each) =>
        each.rule === rule && each.axon === axon && (each.part === undefined || each.part === partOf(change)),
    );
    for (const each of fitting) used.add(each);
    const by = fitting.find(({ expires }) => expires >= today);
    if (by !== undefined) allowed.push({ change, by });
    else denied.push({ change: { ...change, rule }, expired: fitting[0] });
  }
  return { denied, allowed, unused: allow.filter((each) => !used.has(each)) };
}

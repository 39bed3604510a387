import type { Change, Rule } from "./change.js";
import type { Allowance, Policy } from "./policy.js";

export interface Finding {
  readonly change: Change & { readonly rule: Rule };
  /** An expired allowance for this change. */
  readonly expired: Allowance | undefined;
}

export interface Verdict {
  readonly denied: readonly Finding[];
  readonly allowed: readonly { readonly change: Change; readonly by: Allowance }[];
  /** Allowances that match no change. */
  readonly unused: readonly Allowance[];
}

/** `today` is a day such as 2026-12-31: an allowance is valid until the end of its last day. */
export function judge(changes: readonly Change[], { deny, allow }: Policy, today: string): Verdict {
  const denied: Finding[] = [];
  const allowed: { readonly change: Change; readonly by: Allowance }[] = [];
  const used = new Set<Allowance>();
  for (const change of changes) {
    const { rule, axon, node } = change;
    if (rule === undefined || !deny.has(rule)) continue;
    const fitting = allow.filter(
      (each) => each.rule === rule && each.axon === axon && (each.node === undefined || each.node === node),
    );
    for (const each of fitting) used.add(each);
    const by = fitting.find(({ expires }) => expires >= today);
    if (by !== undefined) allowed.push({ change, by });
    else denied.push({ change: { ...change, rule }, expired: fitting[0] });
  }
  return { denied, allowed, unused: allow.filter((each) => !used.has(each)) };
}

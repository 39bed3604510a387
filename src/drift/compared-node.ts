import type { BusCapability, SchematicNode } from "#core/flow/schematic.js";
import type { Changes, Rule } from "./change.js";
import { schemaChanges } from "./compared-schema.js";

/** More retries than these, without a deadline, count as unbounded. */
const MANY_RETRIES = 100;

/** Properties with a comparison of their own. All others are compared as a whole. */
const COMPARED = new Set([
  ..."id kind label source_location schematic bus_capability retry timeout_ms compensation_node_id".split(
    " ",
  ),
  ..."admits iam audit persistence waits input_schema output_schema description replay".split(" "),
]);

export function compareNode(before: SchematicNode, after: SchematicNode, changes: Changes): void {
  const { id: node } = after;
  // The node of an identity check is compared by its policy and verifier.
  if (before.description !== after.description && after.kind !== "Iam")
    changes.add("description", "changed", shown("the description", before.description, after.description), {
      node,
    });
  // Runs that are kept resume all the same: it asks for no other version.
  if (before.replay !== after.replay)
    changes.add("description", "changed", shown("replay", before.replay, after.replay), { node });
  compareBus(before, after, changes);
  compareRetry(before, after, changes);
  compareLimit("timeout_ms", before.timeout_ms, after.timeout_ms, changes, node);
  comparePersistence(before, after, changes);
  compareAudit(before, after, changes);
  compareIam(before, after, changes);
  compareWait(before, after, changes);
  compareSchema(before, after, "input", changes);
  compareSchema(before, after, "output", changes);
  const [inner, next] = [before.schematic, after.schematic];
  for (const key of ["name", "version"] as const)
    if (inner?.[key] !== next?.[key])
      changes.add("other", "changed", shown(`the ${key} of its Axon`, inner?.[key], next?.[key]), { node });
  const [own, others] = [before, after] as unknown as Readonly<Record<string, unknown>>[];
  for (const key of new Set([...Object.keys(own ?? {}), ...Object.keys(others ?? {})]))
    if (!COMPARED.has(key) && !equal(own?.[key], others?.[key]))
      changes.add("other", "changed", shown(key, own?.[key], others?.[key]), { node });
}

type Access = keyof BusCapability;

/** Pairs of accesses: one on every path, the other on some paths. */
const ACCESSES: readonly (readonly [Access, Access])[] = [
  ["reads", "may_read"],
  ["may_read", "reads"],
  ["writes", "may_write"],
  ["may_write", "writes"],
  ["deletes", "deletes"],
];

function compareBus({ bus_capability: old }: SchematicNode, after: SchematicNode, changes: Changes): void {
  const { id: node, bus_capability: next } = after;
  const [more, less] = [furtherKeys([old], next), furtherKeys([next], old)];
  if (more !== "") changes.add("bus", "widened", more, { node, rule: "bus_widening" });
  if (less !== "") changes.add("bus", "narrowed", `no longer ${less}`, { node });
  if (more === "" && less === "" && !equal(old, next))
    changes.add("bus", "changed", "the same keys, always or at times", { node });
}

/** Accesses to keys beyond the known ones: "reads a, b; writes c". */
export function furtherKeys(
  known: readonly (BusCapability | undefined)[],
  capability: BusCapability | undefined,
): string {
  return ACCESSES.flatMap(([access, alike]) => {
    const isKnown = (name: string): boolean =>
      known.some((each) => each?.[access].includes(name) || each?.[alike].includes(name));
    const names = capability?.[access].filter((name) => !isKnown(name)) ?? [];
    return names.length === 0 ? [] : [`${access.replace("_", " ")} ${names.join(", ")}`];
  }).join("; ");
}

export function compareRetry(
  before: SchematicNode | undefined,
  after: SchematicNode,
  changes: Changes,
): void {
  const [old, next] = [before?.retry, after.retry];
  if (equal(old, next)) return;
  const text = (retry: SchematicNode["retry"]): string | undefined =>
    retry && `${retry.max_retries} times (${retry.backoff})`;
  const isNew = isUnbounded(next) && !isUnbounded(old);
  const direction = old === undefined ? "added" : next === undefined ? "removed" : ("changed" as const);
  changes.add("retry", direction, shown("retries", text(old), text(next)), {
    node: after.id,
    rule: isNew ? "unbounded_retry" : undefined,
  });
}

const isUnbounded = (retry: SchematicNode["retry"]): boolean =>
  retry !== undefined && retry.max_retries > MANY_RETRIES && !/\bwithin \d/.test(retry.backoff);

/** No limit counts as the highest. */
export function compareLimit(
  name: string,
  before: number | boolean | undefined,
  after: number | boolean | undefined,
  changes: Changes,
  node?: string,
): void {
  if (before === after) return;
  const [old, next] = [before ?? Number.POSITIVE_INFINITY, after ?? Number.POSITIVE_INFINITY];
  const isRaised = next > old;
  changes.add("limit", isRaised ? "widened" : "narrowed", shown(name, before, after), {
    ...(node !== undefined && { node }),
    rule: isRaised ? "limit_raise" : undefined,
  });
}

const CHECKPOINTS: readonly (string | undefined)[] = [undefined, "none", "async", "sync"];

function comparePersistence(before: SchematicNode, after: SchematicNode, changes: Changes): void {
  const [old, next] = [before.persistence?.checkpoint, after.persistence?.checkpoint];
  if (old === next) return;
  const isWeaker = CHECKPOINTS.indexOf(next) < CHECKPOINTS.indexOf(old);
  changes.add("persistence", isWeaker ? "weakened" : "strengthened", shown("checkpoints", old, next), {
    node: after.id,
    rule: isWeaker ? "persistence_weakening" : undefined,
  });
}

function compareAudit(before: SchematicNode, after: SchematicNode, changes: Changes): void {
  const [old, next] = [before.audit, after.audit];
  if (old === undefined || next === undefined || equal(old, next)) return;
  const node = after.id;
  if (old.action !== next.action)
    changes.add("audit", "changed", shown("the action", old.action, next.action), { node });
  if (old.on_failure === next.on_failure) return;
  const isWeaker = next.on_failure === "log";
  changes.add(
    "audit",
    isWeaker ? "weakened" : "strengthened",
    shown("on_failure", old.on_failure, next.on_failure),
    {
      node,
      rule: isWeaker ? "audit_weakening" : undefined,
    },
  );
}

/** Policies are compared for the whole circuit in compared-policies.ts. */
function compareIam(before: SchematicNode, after: SchematicNode, changes: Changes): void {
  const [old, next] = [before.iam, after.iam];
  const node = after.id;
  if (old?.verifier !== next?.verifier)
    changes.add("iam", "changed", shown("the verifier", old?.verifier, next?.verifier), {
      node,
      rule: "iam_weakening",
    });
  for (const [name, key] of [
    ["the key of the token", "token"],
    ["why the route asks for less", "weakened"],
  ] as const)
    if (old?.[key] !== next?.[key])
      changes.add("iam", "changed", shown(name, old?.[key], next?.[key]), { node });
}

/** A signal is an input: its senders are other programs. */
function compareWait(before: SchematicNode, after: SchematicNode, changes: Changes): void {
  const [{ signals: old = [], ...was }, { signals: next = [], ...is }] = [
    before.waits ?? {},
    after.waits ?? {},
  ];
  const node = after.id;
  for (const { name, schema } of next) {
    const known = old.find((signal) => signal.name === name);
    if (known === undefined) changes.add("input", "widened", `waits for '${name}' too`, { node });
    else
      for (const { direction, text } of schemaChanges(known.schema, schema, "input"))
        changes.add("input", direction, `signal '${name}' ${text}`, {
          node,
          rule: schemaRule("input", direction),
        });
  }
  for (const { name } of old)
    if (!next.some((signal) => signal.name === name))
      changes.add("input", "narrowed", `no longer waits for '${name}'`, { node, rule: "schema_narrowing" });
  if (!equal(was, is)) changes.add("other", "changed", shown("waits", was, is), { node });
}

function compareSchema(
  before: SchematicNode,
  after: SchematicNode,
  role: "input" | "output",
  changes: Changes,
): void {
  const key = `${role}_schema` as const;
  for (const { direction, text } of schemaChanges(before[key], after[key], role))
    changes.add(role, direction, text, { node: after.id, rule: schemaRule(role, direction, after.kind) });
}

export function schemaRule(
  role: "input" | "output",
  direction: string,
  kind?: SchematicNode["kind"],
): Rule | undefined {
  // A new schema accepts less than any value.
  if (role === "input")
    return direction === "narrowed" || direction === "added" ? "schema_narrowing" : undefined;
  if (direction === "removed") return kind === "Egress" ? "missing_output_schema" : "output_widening";
  return direction === "widened" ? "output_widening" : undefined;
}

const equal = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** "retries: 3 times, were none". */
function shown(name: string, before: unknown, after: unknown): string {
  const text = (value: unknown): string =>
    value === undefined ? "none" : typeof value === "string" ? value : JSON.stringify(value);
  return `${name}: ${text(after)}, was ${text(before)}`;
}

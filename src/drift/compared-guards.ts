import type { SchematicNode } from "#core/flow/schematic.js";
import type { Changes } from "./change.js";
import { type FlatSchematic, reachable } from "./flat-schematic.js";

/** Guards that now run behind a step that was behind them before. A moved guard is matched by its label only. */
export function compareGuards(base: FlatSchematic, head: FlatSchematic, changes: Changes): void {
  const before = guardsOf(base);
  for (const [name, { key, node }] of guardsOf(head)) {
    const old = before.get(name);
    if (old === undefined) continue;
    const [were, are] = [behind(base, old.key), behind(head, key)];
    const overtaken = [...were].filter(
      (step) => head.nodes.has(step) && !are.has(step) && !isGuard(head, step),
    );
    const late = overtaken.filter((step) => reachable(head, step).has(key));
    if (late.length > 0)
      changes.add(
        "guard",
        "changed",
        `runs behind ${late.map((step) => labelOf(head, step)).join(", ")} now`,
        {
          node: node.id,
          rule: "guard_removal",
        },
      );
  }
}

interface Guard {
  readonly key: string;
  readonly node: SchematicNode;
}

/** By label, with a number if several have the same one. */
function guardsOf({ nodes }: FlatSchematic): ReadonlyMap<string, Guard> {
  const found = new Map<string, Guard>();
  for (const [key, node] of nodes) {
    if (!isGuardKind(node)) continue;
    let name = node.label;
    for (let n = 2; found.has(name); n += 1) name = `${node.label}#${n}`;
    found.set(name, { key, node });
  }
  return found;
}

const isGuardKind = ({ kind }: SchematicNode): boolean =>
  kind === "Guard" || kind === "Layer" || kind === "Iam";

const isGuard = ({ nodes }: FlatSchematic, key: string): boolean => {
  const node = nodes.get(key);
  return node === undefined || isGuardKind(node);
};

const labelOf = ({ nodes }: FlatSchematic, key: string): string => `'${nodes.get(key)?.label}'`;

/** The steps that only run behind it. */
function behind(flat: FlatSchematic, key: string): ReadonlySet<string> {
  return new Set([...reachable(flat, key)].filter((step) => !reachable(flat, step).has(key)));
}

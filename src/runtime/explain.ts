import type { AnyKey } from "#core/bus-key.js";
import type { AnyTransition } from "#core/transition.js";
import type { AxonDefinition } from "./axon-definition.js";
import type { CallSite } from "./call-site.js";
import { Program } from "./program.js";
import { resumeCode, runCode } from "./straight.js";

/**
 * An Axon as text, a line a step:
 *
 *     orders 1.0.0
 *       @again
 *       1 price  reads Catalogue; writes Total  (src/orders.ts:12)
 *       2 rate   branches to vip  (src/orders.ts:13)
 *         vip: loyal
 *           1 discount  (src/loyal.ts:3)
 */
export function explain(axon: AxonDefinition, options: { readonly code?: boolean }): string {
  const lines = [`${axon.name} ${axon.version}`, ...describe(axon, "  ")];
  if (options.code === true) {
    const program = new Program(axon);
    lines.push("", runCode(program), resumeCode(program));
  }
  return `${lines.join("\n")}\n`;
}

function describe(axon: AxonDefinition, indent: string): readonly string[] {
  const width = Math.max(...axon.steps.map((step) => step.transition.name.length), 0);
  const lines = axon.steps.flatMap(({ transition, branches, site }, index) => [
    ...labelsAt(axon, index, indent),
    [`${indent}${index + 1} ${transition.name.padEnd(width)}`, declarationsOf(transition), placeOf(site)]
      .filter((part) => part !== "")
      .join("  ")
      .trimEnd(),
    ...[...branches].flatMap(([id, body]) => [
      `${indent}  ${id}: ${body.name}`,
      ...describe(body, `${indent}    `),
    ]),
  ]);
  return [...lines, ...labelsAt(axon, axon.steps.length, indent)];
}

function placeOf(site: CallSite): string {
  const location = site.locate();
  return location === undefined ? "" : `(${location.file}:${location.line})`;
}

function labelsAt(axon: AxonDefinition, index: number, indent: string): readonly string[] {
  return [...axon.labels].filter(([, at]) => at === index).map(([name]) => `${indent}@${name}`);
}

function declarationsOf(transition: AnyTransition): string {
  const { reads, writes, mayRead, mayWrite, jumps, branches, emits } = transition;
  const keys = (list: readonly AnyKey[] = []): readonly string[] => list.map((key) => key.name);
  const parts: readonly [string, readonly string[]][] = [
    ["reads", keys(reads)],
    ["writes", keys(writes)],
    ["may read", keys(mayRead)],
    ["may write", keys(mayWrite)],
    ["jumps to", (jumps ?? []).map((label) => `@${label}`)],
    ["branches to", branches ?? []],
    ["emits", (emits ?? []).map((kind) => kind.name)],
  ];
  return parts
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `${what} ${names.join(", ")}`)
    .join("; ");
}

import { didYouMean, nearest } from "#core/nearest.js";
import type { Program } from "../compile/program.js";
import type { AxonDefinition, Migration } from "../definition/axon-definition.js";

/** What is wrong with the migrations of a kept Axon: at runtime each would leave its runs behind. */
export function wrongMigrations(axon: AxonDefinition, program: () => Program): readonly string[] {
  return (axon.persistence?.migrations ?? []).flatMap((migration) => {
    const wrong = wrongIn(axon, migration, program);
    return wrong === undefined ? [] : [`Axon '${axon.name}': a migration from '${migration.from}' ${wrong}`];
  });
}

function wrongIn(
  { name, version }: AxonDefinition,
  { from, strategy }: Migration,
  program: () => Program,
): string | undefined {
  if (from === version)
    return `is from the version that the Axon has itself: name the version of the runs, or give the Axon a new one`;
  if (strategy.kind === "complete-on-old-version") {
    const old = strategy.axon.definition;
    if (old.version !== from) return `completes runs with an Axon of version '${old.version}'`;
    return old.name === name
      ? undefined
      : `completes runs with the Axon '${old.name}', which did not begin them`;
  }
  const node =
    strategy.kind === "migrate-active-node"
      ? strategy.newNode
      : strategy.kind === "fallback-to-node"
        ? strategy.node
        : undefined;
  if (node === undefined || program().entries.has(node)) return undefined;
  const known = [...program().entries.keys()].map((id) => ({ name: id, tail: tailOf(id) }));
  const meant = didYouMean(nearest(node, tailOf(node), known));
  return `leads to the node '${node}', which the Axon does not have or which runs inside a step${meant && `; ${meant}`}`;
}

const tailOf = (node: string): string => node.slice(node.lastIndexOf("/") + 1);

// The structure of an Axon is data. Here it becomes a Mermaid diagram; explain() is the
// same as text.

import type { Schematic } from "framework/core";

import { checkIn } from "./branches.js";

/** Names in a diagram: Mermaid's own cannot hold slashes. */
const nameIn = ({ nodes }: Schematic) => {
  const names = new Map(nodes.map(({ id }, at) => [id, `n${at}`]));
  return (id: string): string => names.get(id) ?? "";
};

function mermaid(schematic: Schematic): string {
  const name = nameIn(schematic);
  const nodes = schematic.nodes.map(({ id, kind, label }) => `  ${name(id)}["${kind}: ${label}"]`);
  const edges = schematic.edges.map(({ from, to, label }) =>
    label === undefined ? `  ${name(from)} --> ${name(to)}` : `  ${name(from)} -- ${label} --> ${name(to)}`,
  );
  return ["flowchart TD", ...nodes, ...edges].join("\n");
}

export const diagram = (): string => mermaid(checkIn.schematic());

export const inWords = (): string => checkIn.explain();

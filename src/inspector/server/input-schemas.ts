import type { TSchema } from "@sinclair/typebox";

import type { Schematic, SchematicNode } from "#core/flow/schematic.js";

/**
 * What each node of a Schematic takes, those of subgraphs included: what it says itself,
 * else, where it gets the input of its Axon as it came, what that says at its Ingress, or where
 * that says nothing the route: `given`.
 */
export function inputSchemas(schematic: Schematic, given?: TSchema): ReadonlyMap<string, TSchema> {
  const schemas = new Map<string, TSchema>();
  add(schematic, given, schemas);
  return schemas;
}

/** `given` is what the node takes in which the Schematic stands. */
function add({ nodes, edges }: Schematic, given: TSchema | undefined, schemas: Map<string, TSchema>): void {
  const handed = new Map<string, TSchema>();
  const visit = (from: string, schema: TSchema): void => {
    for (const { to } of edges.filter((edge) => edge.from === from && HANDS_ON.has(edge.kind))) {
      const node = nodes.find(({ id }) => id === to);
      if (node === undefined || node.kind === "Egress" || handed.has(to)) continue;
      // What decides whether a run may begin does so before there is an input.
      if (!BEFORE_INPUT.has(node.kind)) handed.set(to, node.input_schema ?? schema);
      if (BEFORE_INPUT.has(node.kind) || node.kind === "FanOut") visit(to, node.input_schema ?? schema);
    }
  };
  const outer = nodes.find(({ kind }) => kind === "Ingress");
  // A branch that checks its input has an Ingress of its own.
  for (const node of nodes.filter(({ kind }) => kind === "Ingress")) {
    const schema = node.input_schema ?? (node === outer ? given : undefined);
    if (schema !== undefined) visit(node.id, schema);
  }
  for (const node of nodes) {
    const schema = node.input_schema ?? handed.get(node.id);
    if (schema !== undefined) schemas.set(node.id, schema);
    if (node.schematic !== undefined) add(node.schematic, schema, schemas);
  }
}

const HANDS_ON: ReadonlySet<string> = new Set(["Linear", "Parallel"]);
const BEFORE_INPUT: ReadonlySet<SchematicNode["kind"]> = new Set(["Layer", "Guard", "Iam"]);

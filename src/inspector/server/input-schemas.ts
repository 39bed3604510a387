import type { TSchema } from "@sinclair/typebox";

import type { Schematic, SchematicNode } from "#core/flow/schematic.js";

/**
 * The input schema of each node of a Schematic, including subgraphs. It is the node's own schema. A
 * node that receives the Axon's input unchanged has the schema of the Ingress, or else the route's,
 * `given`.
 */
export function inputSchemas(schematic: Schematic, given?: TSchema): ReadonlyMap<string, TSchema> {
  const schemas = new Map<string, TSchema>();
  add(schematic, given, schemas);
  return schemas;
}

/** `given` is the input schema of the node that contains the Schematic. */
function add({ nodes, edges }: Schematic, given: TSchema | undefined, schemas: Map<string, TSchema>): void {
  const handed = new Map<string, TSchema>();
  const visit = (from: string, schema: TSchema): void => {
    for (const { to } of edges.filter((edge) => edge.from === from && HANDS_ON.has(edge.kind))) {
      const node = nodes.find(({ id }) => id === to);
      if (node === undefined || node.kind === "Egress" || handed.has(to)) continue;
      // Guards and their like run before the input exists.
      if (!BEFORE_INPUT.has(node.kind)) handed.set(to, node.input_schema ?? schema);
      if (BEFORE_INPUT.has(node.kind) || node.kind === "FanOut") visit(to, node.input_schema ?? schema);
    }
  };
  const outer = nodes.find(({ kind }) => kind === "Ingress");
  // A branch that validates its input has its own Ingress.
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

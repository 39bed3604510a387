import type { TSchema } from "@sinclair/typebox";

import type { RoutesData } from "../../client/api.js";

export interface KnownNode {
  readonly node: string;
  readonly circuit: string;
  readonly inputSchema: TSchema | undefined;
}

/** The nodes of all routes, each once: routes may share a circuit. */
export function nodesOf(routes: RoutesData | undefined): readonly KnownNode[] {
  const known = new Map<string, KnownNode>();
  for (const { circuit, nodes } of routes?.routes ?? [])
    for (const { node, input_schema } of nodes)
      known.set(node, { node, circuit, inputSchema: input_schema ?? undefined });
  return [...known.values()];
}

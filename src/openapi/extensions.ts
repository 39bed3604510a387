// What OpenAPI has no words for: streams of events, WebSockets, and, where asked for, the Axon.

import type { TSchema } from "@sinclair/typebox";
import type { JsonSchema } from "./json-schema.js";
import type { Operation } from "./operation.js";

type Write = (schema: TSchema, role: string) => JsonSchema;

export function extensionsOf({ route }: Operation, write: Write, internals: boolean): object {
  const { events, webSocket, axon, guards, layers, schematic, responseSchemas } = route;
  const data = events?.schema ?? (events === undefined ? undefined : responseSchemas[200]);
  return {
    ...(events !== undefined && {
      "x-framework-sse": data === undefined ? {} : { data: write(data, "Event") },
    }),
    ...(webSocket !== undefined && {
      "x-framework-ws": {
        ...(webSocket.schema !== undefined && { message: write(webSocket.schema, "Message") }),
        ...(webSocket.output !== undefined && { reply: write(webSocket.output, "Reply") }),
        ...(webSocket.protocols.length > 0 && { protocols: webSocket.protocols }),
      },
    }),
    ...(internals && {
      "x-framework-axon": {
        name: axon,
        layers,
        guards,
        steps: schematic.nodes
          .filter(({ kind }) => !["Ingress", "Egress", "Layer", "Guard", "Iam"].includes(kind))
          .map(({ label }) => label),
      },
    }),
  };
}

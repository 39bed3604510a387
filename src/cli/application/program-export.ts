// The Schematics of an application's module.

import type { TSchema } from "@sinclair/typebox";

import type { Schematic } from "#core/flow/schematic.js";
import type { ExportedCircuit, ExportedInput, ProgramExport } from "#drift/program-export.js";
import type { Part } from "#http/input/extractor.js";
import type { RouteInfo } from "#http/plan/route-info.js";
import type { WebSocketLimits } from "#http/plan/web-socket-limits.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import type { SchematicOptions } from "#runtime/draw/schematic-of.js";
import { type Ingress, ingressOf, moduleOf, NoIngressError } from "./application.js";

/** Every mounted Axon, and exported Axons without a route. */
export async function programOf(
  file: string,
  name: string | undefined,
  options: SchematicOptions,
): Promise<ProgramExport> {
  const axons = await axonsIn(file);
  const ingress = await ingressIn(file, name, axons.length > 0);
  return programFrom(
    ingress?.routes(options) ?? [],
    axons.map((axon) => axon.schematic(options)),
  );
}

export function programFrom(routes: readonly RouteInfo[], axons: readonly Schematic[] = []): ProgramExport {
  const mounted = routes.flatMap(circuitsOf);
  const names = new Set(mounted.map(({ schematic }) => schematic.name));
  const others = axons
    .filter(({ name }) => !names.has(name))
    .map((schematic): ExportedCircuit => ({ mount: `axon ${schematic.name}`, kind: "axon", schematic }));
  const circuits = [...mounted, ...others]
    .map(withStableNames)
    .sort((a, b) => (a.mount < b.mount ? -1 : a.mount > b.mount ? 1 : 0));
  return { export_version: "1.0", circuits };
}

/** The Axons that the module exports. */
export const axonsIn = async (file: string): Promise<readonly ExportedAxon[]> =>
  Object.values(await moduleOf(file)).filter(isAxon);

/** Undefined for a worker's module, which may export Axons and no ingress. */
export async function ingressIn(
  file: string,
  name: string | undefined,
  hasAxons: boolean,
): Promise<Ingress | undefined> {
  try {
    return await ingressOf(file, name);
  } catch (error) {
    if (name === undefined && hasAxons && error instanceof NoIngressError) return undefined;
    throw error;
  }
}

export interface ExportedAxon {
  readonly definition: AxonDefinition;
  schematic(options: SchematicOptions): Schematic;
}

const isAxon = (value: unknown): value is ExportedAxon =>
  typeof value === "object" &&
  value !== null &&
  "definition" in value &&
  typeof (value as Partial<ExportedAxon>).schematic === "function";

function circuitsOf(route: RouteInfo): readonly ExportedCircuit[] {
  const { method, path, schematic, input, responseSchemas, bodyLimit, timeoutMs, detached } = route;
  const { webSocket, events, internal } = route;
  const mount = `${method} ${path}`;
  const own = schematic.nodes.find(({ kind }) => kind === "Ingress")?.input_schema;
  const inputs = input === undefined ? [] : inputsOf(input, own);
  const responses = { ...responseSchemas, ...(events?.schema && { event: events.schema }) };
  const limits = { body_limit_bytes: bodyLimit, timeout_ms: timeoutMs };
  const circuit: ExportedCircuit = {
    mount,
    kind: internal ? "internal" : webSocket ? "connection" : events ? "events" : "route",
    ...(inputs.length > 0 && { input: inputs }),
    ...(Object.keys(responses).length > 0 && { responses }),
    limits: webSocket ? { ...limits, ...webSocketLimits(webSocket.limits) } : limits,
    ...(detached && { detached }),
    schematic,
  };
  if (webSocket === undefined) return [circuit];
  const { message, close, schema } = webSocket;
  return [
    circuit,
    {
      mount: `${mount} message`,
      kind: "message",
      ...(schema && schema !== message.nodes[0]?.input_schema && { input: [{ from: "json", schema }] }),
      schematic: message,
    },
    ...(close ? [{ mount: `${mount} close`, kind: "close" as const, schematic: close }] : []),
  ];
}

/** The Axon's own schema is in its Schematic already. */
function inputsOf(part: Part, own: TSchema | undefined, name = ""): readonly ExportedInput[] {
  if (part.kind === "combine")
    return Object.entries(part.parts).flatMap(([inner, each]) => inputsOf(each, own, `${inner}: `));
  const schema = "schema" in part && part.schema !== own ? part.schema : undefined;
  return [{ from: `${name}${part.kind}`, ...(schema && { schema }) }];
}

const webSocketLimits = (limits: Required<WebSocketLimits>) => ({
  max_message_bytes: limits.maxMessageBytes,
  idle_timeout_secs: limits.idleTimeoutSecs,
  max_backpressure_bytes: limits.maxBackpressureBytes,
  concurrency: limits.concurrency,
  max_waiting: limits.maxWaiting,
  max_topics: limits.maxTopics,
  max_connections: limits.maxConnections,
});

/** TypeBox numbers recursive schemas in the order of their creation. This numbers them in order of appearance. */
function withStableNames(circuit: ExportedCircuit): ExportedCircuit {
  const names = new Map<string, string>();
  const text = JSON.stringify(circuit, (key, value: unknown) => {
    if (typeof value === "bigint") return `${value}n`;
    if ((key !== "$id" && key !== "$ref") || typeof value !== "string" || !/^T\d+$/.test(value)) return value;
    const name = names.get(value) ?? `T${names.size}`;
    names.set(value, name);
    return name;
  });
  return JSON.parse(text) as ExportedCircuit;
}

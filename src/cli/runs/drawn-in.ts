import type { RouteInfo } from "#http/plan/route-info.js";
import { DrawnNodes } from "#inspector/traces/drawn-nodes.js";
import type { Ingress } from "../application/application.js";
import type { ExportedAxon } from "../application/program-export.js";
import { WHOLE } from "./masked.js";

/** The nodes of a module's routes and of its other Axons, for the marks of their schemas. */
export function drawnIn(ingress: Ingress | undefined, axons: readonly ExportedAxon[]): DrawnNodes {
  const drawn = axons.map((axon) => ({ schematic: axon.schematic({}), responseSchemas: {} }) as RouteInfo);
  return new DrawnNodes(() => [...(ingress?.routes({}) ?? []), ...drawn], WHOLE);
}

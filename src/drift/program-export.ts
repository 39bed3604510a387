// The Schematics of a program as a file: the output of `framework schematic export`.

import type { TSchema } from "@sinclair/typebox";

import type { Schematic } from "#core/flow/schematic.js";

/** Input of a route: the body as JSON, the query ... */
export interface ExportedInput {
  /** "json"; for a combined input with the name of its part, "page: query". */
  readonly from: string;
  readonly schema?: TSchema;
}

/** One mounted Axon, with the guards and layers of the ingress around it. */
export interface ExportedCircuit {
  /** "POST /orders", "GET /chat message", "* /*path" for the fallback, "axon NAME" without a route. */
  readonly mount: string;
  /** "internal": omitted from documentation, like probes. "axon": without a route. */
  readonly kind: "route" | "events" | "connection" | "message" | "close" | "internal" | "axon";
  readonly schematic: Schematic;
  readonly input?: readonly ExportedInput[];
  /** Schemas that the route declares, by status; `event` for the events of a stream. */
  readonly responses?: Readonly<Record<string, TSchema>>;
  readonly limits?: Readonly<Record<string, number | boolean>>;
  /** Whether the route responds before the end of its run. */
  readonly detached?: boolean;
}

export interface ProgramExport {
  readonly export_version: "1.0";
  /** Sorted by mount. */
  readonly circuits: readonly ExportedCircuit[];
}

/** An unusable file. The message states the reason and the remedy. */
export class DriftError extends Error {}

export const exportText = (program: ProgramExport): string => `${JSON.stringify(program, null, 2)}\n`;

/** Reads an export, or the Schematic of one Axon. `name` is the file's, for messages. Throws DriftError. */
export function readProgram(text: string, name: string): ProgramExport {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw new DriftError(`${name} is no JSON: ${(error as Error).message}`);
  }
  if (isRecord(data) && data["schema_version"] === "1.0") {
    const schematic = checked(data, name, "the Schematic");
    return {
      export_version: "1.0",
      circuits: [{ mount: `axon ${schematic.name}`, kind: "axon", schematic }],
    };
  }
  const { export_version, circuits } = isRecord(data) ? data : {};
  if (!Array.isArray(circuits))
    throw new DriftError(
      `${name} is no export of Schematics: make one with framework schematic export MODULE --out schematics.json`,
    );
  if (export_version !== "1.0")
    throw new DriftError(
      `${name} has export_version ${JSON.stringify(export_version)}, and this release reads "1.0"`,
    );
  for (const [i, circuit] of circuits.entries()) {
    if (!isRecord(circuit) || typeof circuit["mount"] !== "string")
      throw new DriftError(`${name}: circuits/${i} has no mount: export it anew`);
    checked(circuit["schematic"], name, `circuits/${i}/schematic`);
  }
  return data as ProgramExport;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function checked(value: unknown, file: string, place: string): Schematic {
  const refuse = (at: string): never => {
    throw new DriftError(`${file}: ${place}${at} is not as an export has it: export it anew`);
  };
  const each = (list: unknown, at: string, keys: readonly string[]): readonly unknown[] => {
    if (!Array.isArray(list)) return refuse(at);
    for (const [i, item] of list.entries())
      for (const key of keys)
        if (!isRecord(item) || typeof item[key] !== "string") refuse(`${at}/${i}/${key}`);
    return list;
  };
  if (!isRecord(value)) return refuse("");
  for (const key of ["id", "name", "version"]) if (typeof value[key] !== "string") refuse(`/${key}`);
  each(value["edges"], "/edges", ["from", "to", "kind"]);
  for (const [i, node] of each(value["nodes"], "/nodes", ["id", "kind", "label"]).entries()) {
    const { schematic } = node as { readonly schematic?: unknown };
    if (schematic !== undefined) checked(schematic, file, `${place}/nodes/${i}/schematic`);
  }
  return value as unknown as Schematic;
}

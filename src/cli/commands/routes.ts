import type { TSchema } from "@sinclair/typebox";

import { aligned } from "#config/aligned.js";
import type { Part } from "#http/input/extractor.js";
import type { RouteIamInfo } from "#http/plan/route-iam.js";
import type { RouteInfo } from "#http/plan/route-info.js";
import { ingressOf } from "../application/application.js";
import { type Given, type Surroundings, UsageError } from "../terminal/command.js";

export async function routes(given: Given, { out }: Surroundings): Promise<number> {
  const [file] = given.operands;
  if (file === undefined)
    throw new UsageError("the module is missing: framework routes dist/app.js; --help tells more");
  const found = (await ingressOf(file, given.text("export"))).routes();
  out(given.flag("json") ? `${JSON.stringify(found.map(asData), null, 2)}\n` : asTable(found));
  return 0;
}

function asTable(found: readonly RouteInfo[]): string {
  const rows = found.map(({ method, path, axon, guards, iam, input }) => [
    method,
    path,
    axon,
    [...guards, ...(iam === undefined ? [] : [`iam: ${iam.policy}`])].join(", ") || "-",
    input === undefined ? "-" : inputText(input),
  ]);
  return `${aligned([["METHOD", "PATH", "AXON", "GUARDS", "INPUT"], ...rows]).join("\n")}\n`;
}

const asData = ({
  method,
  path,
  axon,
  layers,
  guards,
  iam,
  input,
  summary,
  tags,
  bodyLimit,
}: RouteInfo): object => ({
  method,
  path,
  axon,
  layers,
  guards,
  iam: iam === undefined ? null : dataOf(iam),
  input: input === undefined ? null : inputText(input),
  summary: summary ?? null,
  tags,
  body_limit_bytes: bodyLimit,
});

const dataOf = ({ counts, ...drawn }: RouteIamInfo): object => drawn;

/** Source of the input, with the schema's name if it has one: "json Order". */
export function inputText(part: Part): string {
  if (part.kind === "combine")
    return Object.entries(part.parts)
      .map(([name, inner]) => `${name}: ${inputText(inner)}`)
      .join(", ");
  const name = "schema" in part ? schemaName(part.schema) : undefined;
  return name === undefined ? part.kind : `${part.kind} ${name}`;
}

const schemaName = ({ $id, title }: TSchema): string | undefined => $id ?? title;

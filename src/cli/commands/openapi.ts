import { readFileSync, writeFileSync } from "node:fs";

import { breaks } from "#openapi/compared-documents.js";
import { type DocumentFormat, documentText, formatOf, parsedDocument } from "#openapi/document-text.js";
import { exportedDocument } from "#openapi/exported-document.js";
import type { OpenApiDocument } from "#openapi/open-api-options.js";
import { ingressOf } from "../application/application.js";
import { CommandError, type Given, type Surroundings, UsageError } from "../terminal/command.js";

export async function openapiExport(given: Given, { out }: Surroundings): Promise<number> {
  const [module] = given.operands;
  const file = given.text("out");
  const format = given.text("format") ?? formatOf(file ?? "");
  if (format !== "json" && format !== "yaml")
    throw new UsageError(`--format is json or yaml, not '${format}'`);
  const document = await documentIn(module, given, given.flag("internals") ? true : undefined);
  const text = await documentText(document, format satisfies DocumentFormat);
  if (file === undefined) out(text);
  else {
    writeFileSync(file, text);
    out(`${file}: ${operationsIn(document)} operations\n`);
  }
  return 0;
}

export async function openapiCheck(given: Given, { out }: Surroundings): Promise<number> {
  const [module, file] = given.operands;
  if (file === undefined)
    throw new UsageError("the file of the document is missing: framework openapi check MODULE FILE");
  const before = await documentOfFile(file);
  const after = await documentIn(module, given, undefined);
  const found = breaks(before, after);
  if (found.length > 0) {
    out(`${found.join("\n")}\n\n${found.length} of these break clients of ${file}.\n`);
    return 1;
  }
  const isSame = JSON.stringify(before) === JSON.stringify(after);
  out(
    isSame
      ? `${file} is up to date.\n`
      : `Nothing breaks clients of ${file}. It is not up to date: framework openapi export ${module} --out ${file}\n`,
  );
  return 0;
}

const operationsIn = ({ paths }: OpenApiDocument): number =>
  Object.values(paths).flatMap((item) => Object.keys(item)).length;

async function documentIn(module: string | undefined, given: Given, internals: boolean | undefined) {
  if (module === undefined)
    throw new UsageError("the module is missing: framework openapi export dist/app.js");
  const path = given.text("path");
  const ingress = await ingressOf(module, given.text("export"));
  const document = await exportedDocument(ingress, { path, ...(internals !== undefined && { internals }) });
  if (document === undefined)
    throw new UsageError(
      `${module} serves no document at '${path}': leave --path out, or name the path of an openapi()`,
    );
  return document;
}

async function documentOfFile(file: string): Promise<OpenApiDocument> {
  try {
    return await parsedDocument(readFileSync(file, "utf8"), formatOf(file));
  } catch (cause) {
    throw new CommandError(`${file} could not be read as an OpenAPI document`, { cause });
  }
}

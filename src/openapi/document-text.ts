// A document as a file: JSON, or YAML by the package yaml, which is loaded when it is first needed.

import { FrameworkError } from "#core/errors.js";
import type { OpenApiDocument } from "./open-api-options.js";

export type DocumentFormat = "json" | "yaml";

export const jsonText = (document: OpenApiDocument): string => `${JSON.stringify(document, null, 2)}\n`;

/** By the ending of a file's name. */
export const formatOf = (file: string): DocumentFormat => (/\.ya?ml$/i.test(file) ? "yaml" : "json");

/** Rejects with OPENAPI_INVALID where YAML is wanted and cannot be written. */
export async function documentText(document: OpenApiDocument, format: DocumentFormat): Promise<string> {
  if (format === "json") return jsonText(document);
  const { stringify } = await yaml();
  // Anchors would be of objects that happen to be one here.
  return stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 });
}

/** Rejects with OPENAPI_INVALID for what is no document. */
export async function parsedDocument(text: string, format: DocumentFormat): Promise<OpenApiDocument> {
  let value: unknown;
  try {
    value = format === "json" ? JSON.parse(text) : (await yaml()).parse(text);
  } catch (cause) {
    if (cause instanceof FrameworkError) throw cause;
    throw new FrameworkError(
      "OPENAPI_INVALID",
      `It is no ${format.toUpperCase()}: ${(cause as Error).message}`,
    );
  }
  const { openapi, paths } = (value ?? {}) as Partial<OpenApiDocument>;
  if (typeof openapi !== "string" || typeof paths !== "object" || paths === null)
    throw new FrameworkError("OPENAPI_INVALID", "It is no OpenAPI document: it has no 'openapi' and 'paths'");
  return value as OpenApiDocument;
}

type Yaml = typeof import("yaml");

async function yaml(): Promise<Yaml> {
  try {
    return await import("yaml");
  } catch (cause) {
    throw new FrameworkError(
      "OPENAPI_INVALID",
      'YAML needs the package yaml: run "npm install yaml@2.9.1", or use a file that ends in .json',
      { cause },
    );
  }
}

import type { OpenApiDocument } from "./open-api-options.js";

export const jsonText = (document: OpenApiDocument): string => `${JSON.stringify(document, null, 2)}\n`;

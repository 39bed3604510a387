// The refusals of a route's input reader, by extractor part; extraction.ts compiles the same parts.

import type { TObject } from "@sinclair/typebox";
import { type DeclaredResponse, declaredOf } from "#core/bus/declared-response.js";
import { faultCodes, type RefusalCode, refusalCodes } from "#core/error-codes.js";
import { mayBeAgainst, mayBeUnreadable } from "#schema/redaction/text-refusals.js";
import { kindOf } from "#schema/tree/schema-tree.js";
import type { Part } from "../input/extractor.js";

const refusals = (...codes: readonly RefusalCode[]): readonly DeclaredResponse[] =>
  declaredOf(refusalCodes, ...codes);

const AGAINST = declaredOf(faultCodes, "INPUT_INVALID");
const PARAMETER = refusals("PARAMETER_INVALID");

/** Refusals of any body that is read. */
export const bodyResponses = refusals("BODY_TIMEOUT", "BODY_TOO_LARGE", "MEDIA_TYPE_UNSUPPORTED");
/** Refusals of a streamed body. */
const STREAMED = refusals("BODY_UNREAD", "STORAGE_UNAVAILABLE");

export function inputResponses(part: Part): readonly DeclaredResponse[] {
  switch (part.kind) {
    case "json":
      return [
        ...bodyResponses,
        ...refusals("BODY_MISSING", "JSON_INVALID", "TEXT_INVALID"),
        ...(["Any", "Unknown"].includes(kindOf(part.schema) as string) ? [] : AGAINST),
      ];
    case "path":
      // A path parameter of this route always exists once.
      return [
        ...(Object.values(part.schema.properties).some(mayBeUnreadable) ? PARAMETER : []),
        ...against(part.schema),
      ];
    case "query":
    case "parameters":
      // At least the refusals for too many parameters and for names of object properties.
      return [...PARAMETER, ...against(part.schema)];
    case "header":
    case "cookie":
      return [...PARAMETER, ...against(part.schema, false)];
    case "form":
      return [
        ...bodyResponses,
        ...refusals("FORM_INVALID", "TEXT_INVALID"),
        ...(Object.keys(part.schema.properties).length > 0 ? PARAMETER : []),
        ...against(part.schema),
      ];
    case "multipart": {
      const { schema, files } = part.options;
      return [
        ...bodyResponses,
        ...STREAMED,
        ...refusals("BODY_MISSING", "FORM_INVALID", "MULTIPART_INVALID", "UPLOAD_TOO_LARGE"),
        ...(schema === undefined ? [] : [...PARAMETER, ...against(schema)]),
        // At least the refusal of a file with another name.
        ...(typeof files === "object" ? AGAINST : []),
      ];
    }
    case "text":
      return [...bodyResponses, ...refusals("TEXT_INVALID")];
    case "bytes":
      return bodyResponses;
    case "stream":
      return [...bodyResponses, ...STREAMED];
    case "combine":
      return Object.values(part.parts).flatMap(inputResponses);
  }
}

const against = (schema: TObject, takesOthers = true): readonly DeclaredResponse[] =>
  mayBeAgainst(schema, takesOthers) ? AGAINST : [];

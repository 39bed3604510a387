import type { TSchema } from "@sinclair/typebox";
import { partOf } from "#http/answer/response-forms.js";
import type { Content } from "./operation.js";

const MEDIA = { json: "application/json", text: "text/plain", bytes: "application/octet-stream" } as const;

/** The contents of a response with a body of the schema. */
export function bodiesOf(schema: TSchema): readonly Content[] {
  if (partOf(schema, "any") !== undefined) return [{ media: "*/*", schema: undefined }];
  return (["json", "text", "bytes"] as const).flatMap((form) => {
    const part = partOf(schema, form);
    return part === undefined ? [] : [{ media: MEDIA[form], schema: form === "bytes" ? undefined : part }];
  });
}

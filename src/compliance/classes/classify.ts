import type { TSchema } from "@sinclair/typebox";

import { type ClassifiedField, listedMarks } from "#schema/redaction/listed-marks.js";

export type { ClassifiedField };

/** The fields that a schema marks, with level and category, in the order of the schema. */
export const classify = (schema: TSchema): readonly ClassifiedField[] => listedMarks(schema);

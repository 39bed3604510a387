import { TransformKind, type TSchema } from "@sinclair/typebox";

import { FrameworkError } from "#core/errors.js";
import { visible } from "#core/wire/visible-text.js";
import { requireMarks } from "../redaction/listed-marks.js";
import { eachSchema, kindOf } from "../tree/schema-tree.js";
import { requireNonCircular } from "./circularity.js";
import { isChecked, keywordComplaint } from "./keywords.js";
import { requireOneMeaning } from "./schema-names.js";

/** Source of the values: parsed JSON, or a program's objects. */
export type ValueOrigin = "json" | "program";

const NEVER_IN_JSON = new Set(["BigInt", "Date", "Symbol", "Uint8Array", "Undefined", "Void"]);

/**
 * Throws SCHEMA_UNSUPPORTED, with the part and the remedy, for a part that cannot be checked, and
 * SCHEMA_INVALID for a part that directly contains itself.
 */
export function requireSupported(schema: TSchema, origin: ValueOrigin): void {
  if (typeof schema !== "object" || schema === null)
    throw new FrameworkError(
      "SCHEMA_UNSUPPORTED",
      "There is no schema: give one, as in Type.Object({ ... })",
    );
  eachSchema(schema, (part, pointer) => {
    const kind = kindOf(part);
    const refuse = (what: string, remedy: string): never => {
      throw new FrameworkError("SCHEMA_UNSUPPORTED", `Schema at '${pointer}': ${what}; ${remedy}`);
    };
    if (kind === undefined)
      refuse("it was not made by TypeBox", "build it with Type.*, so that its type and its check agree");
    if (Object.hasOwn(part, TransformKind)) refuse("a Transform is not run", "convert the value in a step");
    if (NEVER_IN_JSON.has(kind as string)) {
      if (origin === "json")
        refuse(`${kind} has no form in JSON`, "use a string or a number and convert it in a step");
    } else if (!isChecked(kind)) {
      refuse(`${kind} cannot be checked`, "use a kind that describes data");
    }
    const complaint = keywordComplaint(part);
    if (complaint !== undefined) refuse(complaint.what, complaint.remedy);
    const { contains, minContains, maxContains } = part;
    if (contains === undefined && (minContains ?? maxContains) !== undefined)
      refuse("minContains and maxContains count what contains describes", "give contains too");
    // TypeBox rejects such names, without their place.
    const named = kind === "Object" ? Object.keys(part["properties"]).find(hasControl) : undefined;
    if (named !== undefined)
      refuse(
        `the property ${visible(JSON.stringify(named))} has a control character in its name`,
        "rename it",
      );
    // TypeBox looks a property up without an own-property test, and finds inherited members.
    const inherited =
      kind === "Object" ? optionalNames(part).find((name) => name in Object.prototype) : undefined;
    if (inherited !== undefined)
      refuse(`every object has a '${inherited}'`, "make the property required, or give it another name");
    if (kind === "Integer" && !Number.isInteger(part["multipleOf"] ?? 1))
      refuse(
        "an integer is a multiple of a whole number",
        "use Type.Number, or a multipleOf without a fraction",
      );
  });
  requireNonCircular(schema);
  requireOneMeaning(schema);
  requireMarks(schema);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters.
const hasControl = (name: string): boolean => /[\x07-\x0d\x1b\x7f]/.test(name);

const optionalNames = ({ properties, required = [] }: TSchema): readonly string[] =>
  Object.keys(properties).filter((name) => !required.includes(name));

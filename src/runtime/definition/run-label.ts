// What an Axon declares of a label of its runs, and the check of its values.

import type { TString } from "@sinclair/typebox";
import { isLabelName, MAX_LABEL_LENGTH, MAX_LABELS } from "#core/bus/label.js";
import { FrameworkError } from "#core/errors.js";
import { isSensitive } from "#core/secrets/sensitive.js";
import { isSensitiveName } from "#core/secrets/sensitive-names.js";
import { compileSchema, type Validator } from "#schema/compile/validator.js";
import { kindOf } from "#schema/tree/schema-tree.js";

/** The schemas of labels, by their names. */
export type LabelSchemas = Readonly<Record<string, TString>>;

export interface RunLabel {
  readonly schema: TString;
  readonly validator: Validator;
}

/** The labels that the runs of a program may have. */
export interface DeclaredLabels {
  readonly axon: string;
  readonly labels: ReadonlyMap<string, RunLabel>;
}

/** Throws LABEL_SCHEMA_INVALID. */
export function withRunLabels(
  { name: axon, runLabels }: { readonly name: string; readonly runLabels: DeclaredLabels["labels"] },
  schemas: LabelSchemas,
): DeclaredLabels["labels"] {
  const call = `Axon '${axon}': withLabels`;
  if (typeof schemas !== "object" || schemas === null)
    throw invalid(call, "give schemas by names, as in { order: Type.String({ maxLength: 100 }) }");
  const added = Object.entries(schemas).map(([name, schema]): [string, RunLabel] => {
    const place = `${call}, label '${name}'`;
    const complaint = complaintOf(name, schema);
    if (complaint !== undefined) throw invalid(place, complaint);
    return [name, { schema, validator: compileSchema(schema, { owner: place, origin: "program" }) }];
  });
  const labels = new Map([...runLabels, ...added]);
  requireFew(call, labels);
  return labels;
}

export function requireFew(place: string, { size }: DeclaredLabels["labels"]): void {
  if (size > MAX_LABELS)
    throw invalid(place, `${size} labels; a run has at most ${MAX_LABELS}: keep those that people search by`);
}

export const invalid = (place: string, remedy: string): FrameworkError =>
  new FrameworkError("LABEL_SCHEMA_INVALID", `${place}: ${remedy}`);

/** What is wrong, and the remedy. */
function complaintOf(name: string, schema: TString): string | undefined {
  if (!isLabelName(name))
    return "a name has at most 40 letters, digits and underscores, a letter first: rename it";
  if (isSensitiveName(name))
    return "a name by which values are masked: labels are plain text; keep the value under a Bus key";
  if (typeof schema !== "object" || schema === null || kindOf(schema) !== "String")
    return "labels are texts: use Type.String({ maxLength: 100 })";
  if (isSensitive(schema))
    return "its schema is marked Sensitive, and labels are stored and shown as plain text: label the run with another text, such as an id without meaning";
  const { maxLength } = schema;
  if (maxLength === undefined || maxLength > MAX_LABEL_LENGTH)
    return `its schema allows more than ${MAX_LABEL_LENGTH} characters: add maxLength, at most ${MAX_LABEL_LENGTH}`;
  return undefined;
}

/** Throws LABEL_UNDECLARED or LABEL_VALUE_INVALID. The error never contains the value. */
export function requireLabel({ axon, labels }: DeclaredLabels, name: string, value: unknown): void {
  const label = labels.get(name);
  if (label === undefined) throw undeclared(`A step of Axon '${axon}'`, name);
  if (label.validator.check(value)) return;
  const [error] = label.validator.errors(value);
  throw new FrameworkError(
    "LABEL_VALUE_INVALID",
    `Axon '${axon}': the label '${name}' was set to a value that does not fit, expected is ${error?.expected ?? "another one"}: shorten or convert it before bus.label, or change its schema in withLabels`,
  );
}

export const undeclared = (step: string, name: string): FrameworkError =>
  new FrameworkError(
    "LABEL_UNDECLARED",
    `${step} sets the label '${name}', which no Axon around it declares: add .withLabels({ ${name}: Type.String({ maxLength: 100 }) })`,
  );

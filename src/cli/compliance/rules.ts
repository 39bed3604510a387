// The rules of `framework compliance check`, and what in a record breaks them.

import { highest } from "#core/secrets/sensitive.js";
import type { PolicyForm } from "#drift/policy.js";
import type { RecordEntry, RecordRow } from "./record.js";

/** Each rule with its remedy. */
export const COMPLIANCE_RULES = {
  restricted_in_response:
    "leave it out of the output schema, declare an output schema without it, or mark what is no secret with Public(schema)",
  restricted_unencrypted: "keep a reference to it instead, or use a store that encrypts",
  kept_without_subject:
    "require an identity (withIam, AuthGuard), or name the person with .withSubject((input) => ...), so that it can be found and erased",
} as const;

export type ComplianceRule = keyof typeof COMPLIANCE_RULES;

export const COMPLIANCE_POLICY: PolicyForm<ComplianceRule> = {
  rules: Object.keys(COMPLIANCE_RULES) as readonly ComplianceRule[],
  example: "restricted_in_response",
  part: "field",
  partMeans: 'a field as the report names it, "body /email"',
};

export interface ComplianceFinding {
  readonly rule: ComplianceRule;
  readonly axon: string;
  readonly mount: string;
  readonly row: RecordRow;
}

export const findingsOf = (entries: readonly RecordEntry[]): readonly ComplianceFinding[] =>
  entries.flatMap((entry) => {
    const { axon, mount, callers, hasSubject, rows } = entry;
    return rows.flatMap((row) => {
      const isKept = row.direction === "kept" || row.direction === "audited";
      const isNameless = callers === undefined && !hasSubject;
      const broken: readonly (ComplianceRule | false)[] = [
        row.direction === "out" && row.level === "restricted" && "restricted_in_response",
        isKept && row.level === "restricted" && row.isEncrypted !== true && "restricted_unencrypted",
        row.direction === "kept" &&
          isPersonal(row) &&
          isNameless &&
          row.isOfPerson !== true &&
          "kept_without_subject",
      ];
      return broken.flatMap((rule) => (rule === false ? [] : [{ rule, axon, mount, row }]));
    });
  });

const isPersonal = ({ level, categories }: RecordRow): boolean =>
  categories.length > 0 || (level !== undefined && highest(level, "internal") !== "internal");

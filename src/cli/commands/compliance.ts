import { FrameworkError } from "#core/errors.js";
import { meantAmong } from "#core/nearest.js";
import { visible } from "#core/wire/visible-text.js";
import { judge } from "#drift/judge.js";
import { explained, policyOf, today, unusedText } from "../application/policy-file.js";
import { axonsIn, ingressIn } from "../application/program-export.js";
import { entriesOf } from "../compliance/processing.js";
import type { RecordEntry } from "../compliance/record.js";
import { placeOf, recordData, recordMarkdown, recordText, rowData } from "../compliance/record-text.js";
import {
  COMPLIANCE_POLICY,
  COMPLIANCE_RULES,
  type ComplianceFinding,
  findingsOf,
} from "../compliance/rules.js";
import { painter } from "../terminal/colour.js";
import { CommandError, type Given, type Surroundings, UsageError } from "../terminal/command.js";

const FORMATS: Readonly<Record<string, (entries: readonly RecordEntry[]) => string>> = {
  text: recordText,
  markdown: recordMarkdown,
  json: (entries) => `${JSON.stringify(recordData(entries), null, 2)}\n`,
};

export async function complianceReport(given: Given, { out }: Surroundings): Promise<number> {
  const format = given.text("format") ?? "text";
  const print = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (print === undefined) {
    const names = Object.keys(FORMATS);
    throw new UsageError(
      `there is no format '${format}'; ${meantAmong(format, names) || `use ${names.join(", ")}`}`,
    );
  }
  out(print(await recordOf("report", given)));
  return 0;
}

export async function complianceCheck(given: Given, surroundings: Surroundings): Promise<number> {
  const file = given.text("policy");
  if (file === undefined)
    throw new UsageError(
      '--policy FILE is missing: it has what is denied, deny = ["restricted_in_response"]; docs/compliance.md lists the rules',
    );
  const policy = policyOf(file, COMPLIANCE_POLICY);
  const findings = findingsOf(await recordOf("check", given));
  // An allowance may name any field of a value without a schema, which is one finding.
  const wanted = new Set(policy.allow.map(({ part }) => part));
  const partOf = ({ row }: ComplianceFinding): string | undefined =>
    row.fields.find((name) => wanted.has(name));
  const { denied, allowed, unused } = judge(findings, policy, partOf, today());
  if (given.flag("json"))
    surroundings.out(
      `${JSON.stringify(
        {
          denied: denied.map(({ change, expired }) => ({ ...findingData(change), expired: expired ?? null })),
          allowed: allowed.map(({ change, by }) => ({ ...findingData(change), by })),
          unused,
        },
        null,
        2,
      )}\n`,
    );
  else {
    const paint = painter(surroundings);
    const lines = [
      ...denied.map(
        ({ change, expired }) =>
          `${paint("red", findingText(change))}${explained(expired, file)}\n  ${COMPLIANCE_RULES[change.rule]}`,
      ),
      ...allowed.map(
        ({ change, by }) =>
          `${findingText(change)} (allowed up to ${by.expires} by ${file}:${by.line}: ${visible(by.reason)})`,
      ),
      ...unused.map((each) => unusedText(each, file)),
      `${denied.length} denied, ${allowed.length} allowed`,
    ];
    surroundings.out(`${lines.join("\n")}\n`);
  }
  return denied.length === 0 ? 0 : 1;
}

async function recordOf(command: string, given: Given): Promise<readonly RecordEntry[]> {
  const [file] = given.operands;
  if (file === undefined)
    throw new UsageError(`the module is missing: framework compliance ${command} src/app.ts`);
  try {
    const axons = await axonsIn(file);
    const ingress = await ingressIn(file, given.text("export"), axons.length > 0);
    return entriesOf(
      ingress?.plan,
      axons.map(({ definition }) => definition),
    );
  } catch (error) {
    // Without a record nothing is found: 2, and not the 1 of a finding. Causes of coded errors repeat them.
    const { message, cause } = error as Error;
    throw new CommandError(message, error instanceof FrameworkError ? undefined : { cause });
  }
}

/** "src/order.ts:12: restricted_in_response: POST /orders (order) response 201: body /card [declared]". */
function findingText({ rule, axon, mount, row }: ComplianceFinding): string {
  const at = placeOf(row);
  const where = `${mount} (${axon}) ${row.place}: ${row.fields.join(", ")} [${row.certainty}]`;
  return visible(`${at === "" ? "" : `${at}: `}${rule}: ${where}`);
}

const findingData = ({ rule, axon, mount, row }: ComplianceFinding): object => ({
  rule,
  remedy: COMPLIANCE_RULES[rule],
  axon,
  mount,
  ...rowData(row),
});

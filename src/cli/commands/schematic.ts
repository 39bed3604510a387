import { writeFileSync } from "node:fs";

import { visible } from "#core/wire/visible-text.js";
import { CHANGE_POLICY, type Change, type Rule } from "#drift/change.js";
import { comparedPrograms } from "#drift/compared-programs.js";
import { judge, type Verdict } from "#drift/judge.js";
import type { Allowance } from "#drift/policy.js";
import { exportText } from "#drift/program-export.js";
import { counted, grouped, markdownOf, signOf, textOf } from "#drift/report.js";
import { explained, policyOf, today, unusedText } from "../application/policy-file.js";
import { programOf } from "../application/program-export.js";
import { COMMITTED, sourceOf } from "../application/schematic-source.js";
import { type Painter, painter } from "../terminal/colour.js";
import { CommandError, type Given, type Surroundings, UsageError } from "../terminal/command.js";

export async function schematicExport(given: Given, { out }: Surroundings): Promise<number> {
  const [module] = given.operands;
  if (module === undefined)
    throw new UsageError("the module is missing: framework schematic export dist/app.js");
  const program = await programOf(module, given.text("export"), { sourceLocations: given.flag("locations") });
  const file = given.text("out");
  if (file === undefined) {
    out(exportText(program));
    return 0;
  }
  try {
    writeFileSync(file, exportText(program));
  } catch (cause) {
    throw new CommandError(`${file} could not be written`, { cause });
  }
  out(`${file}: ${counted(program.circuits.length, "Schematic")}\n`);
  return 0;
}

export async function schematicDiff(given: Given, surroundings: Surroundings): Promise<number> {
  if (given.flag("json") && given.flag("markdown"))
    throw new UsageError("--json and --markdown are two forms of one result: leave one out");
  const changes = await compared("diff", given);
  if (given.flag("json")) surroundings.out(`${JSON.stringify({ changes: changes.map(asData) }, null, 2)}\n`);
  else if (given.flag("markdown")) surroundings.out(markdownOf(changes));
  else surroundings.out(asText(changes, painter(surroundings)));
  return changes.length === 0 ? 0 : 1;
}

export async function schematicCheck(given: Given, surroundings: Surroundings): Promise<number> {
  const file = given.text("policy");
  if (file === undefined)
    throw new UsageError(
      '--policy FILE is missing: it has what is denied, deny = ["guard_removal"]; docs/schematic.md lists the rules',
    );
  const policy = policyOf(file, CHANGE_POLICY);
  const changes = await compared("check", given);
  const verdict = judge(changes, policy, ({ node }) => node, today());
  surroundings.out(
    given.flag("json")
      ? `${JSON.stringify(verdictData(verdict), null, 2)}\n`
      : verdictText(verdict, file, painter(surroundings)),
  );
  return verdict.denied.length === 0 ? 0 : 1;
}

async function compared(command: string, given: Given): Promise<readonly Change[]> {
  const [base, head] = given.operands;
  if (base === undefined || head === undefined)
    throw new UsageError(
      `${base === undefined ? "BASE and HEAD are" : "HEAD is"} missing: framework schematic ${command} main ${COMMITTED}; each is an export, a module or a commit`,
    );
  const options = { file: given.text("file") ?? COMMITTED, exportName: given.text("export") };
  const [before, after] = [await sourceOf(base, options), await sourceOf(head, options)];
  return comparedPrograms(before.program, after.program).map((change) => ({
    ...change,
    location: change.location ?? after.placeOf(change),
  }));
}

const asData = ({ area, direction, rule, axon, mounts, node, text, location }: Change): object => ({
  area,
  direction,
  rule: rule ?? null,
  axon,
  mounts,
  node: node ?? null,
  text,
  location: location ?? null,
});

const COLOURS: Readonly<Record<"+" | "-" | "~", Parameters<Painter>[0]>> = {
  "+": "green",
  "-": "red",
  "~": "yellow",
};

function asText(changes: readonly Change[], paint: Painter): string {
  if (changes.length === 0) return "No change.\n";
  const groups = grouped(changes).map(({ axon, mounts, changes: inside }) => {
    const lines = inside.map((change) => {
      const sign = signOf(change.direction);
      const node = change.node === undefined ? "" : `${visible(change.node)}  `;
      return `  ${paint(COLOURS[sign], sign)} ${node}${textOf(change)}\n`;
    });
    return `${paint("bold", visible(axon))} (${visible(mounts.join(", "))})\n${lines.join("")}\n`;
  });
  return `${groups.join("")}${counted(changes.length, "change")}\n`;
}

function verdictText({ denied, allowed, unused }: ChangeVerdict, file: string, paint: Painter): string {
  const lines = [
    ...denied.map(({ change, expired }) => paint("red", placed(change)) + explained(expired, file)),
    ...allowed.map(
      ({ change, by }) =>
        `${placed(change)} (allowed up to ${by.expires} by ${file}:${by.line}: ${visible(by.reason)})`,
    ),
    ...unused.map((each) => unusedText(each, file)),
    `${denied.length} denied, ${allowed.length} allowed`,
  ];
  return `${lines.join("\n")}\n`;
}

/** "src/order.ts:12: guard_removal: order (POST /orders) order:guard/X guard 'X' is gone". */
function placed(change: Change): string {
  const { location, rule, axon, mounts, node } = change;
  const place = location === undefined ? "" : `${location.file}:${location.line}: `;
  const where = node === undefined ? `${axon} (${mounts.join(", ")})` : node;
  return `${visible(`${place}${rule}: ${where}`)}: ${textOf(change)}`;
}

type ChangeVerdict = Verdict<Change, Rule>;

const verdictData = ({ denied, allowed, unused }: ChangeVerdict): object => ({
  denied: denied.map(({ change, expired }) => ({
    ...asData(change),
    expired: expired === undefined ? null : allowanceData(expired),
  })),
  allowed: allowed.map(({ change, by }) => ({ ...asData(change), by: allowanceData(by) })),
  unused: unused.map(allowanceData),
});

const allowanceData = ({ part, ...others }: Allowance): object => ({ ...others, node: part });

// Which stored runs the Axons of a module could resume. Only reads.

import { aligned } from "#config/aligned.js";
import { visible } from "#core/wire/visible-text.js";
import { type CheckedRuns, checkRuns } from "#runtime/hosting/checked-runs.js";
import type { KeptProgram } from "../../application/kept-program.js";
import { withProgram } from "../../application/opened-program.js";
import { type Given, type Surroundings, UsageError } from "../../terminal/command.js";
import { progressLine } from "../../terminal/progress.js";

export async function runsCheck(given: Given, surroundings: Surroundings): Promise<number> {
  const [module] = given.operands;
  if (module === undefined)
    throw new UsageError("the module is missing: framework runs check dist/app.js; --help tells more");
  return withProgram(given, surroundings, { module, asksStores: true }, async ({ program }) => {
    const found = await foundIn(program, given.text("axon"), surroundings);
    surroundings.out(given.flag("json") ? `${JSON.stringify(asData(found))}\n` : told(found));
    return unfitIn(found).length > 0 ? 1 : 0;
  });
}

async function foundIn(
  { axons, stores, given }: KeptProgram,
  axon: string | undefined,
  surroundings: Surroundings,
): Promise<readonly CheckedRuns[]> {
  const progress = progressLine(surroundings);
  const found: CheckedRuns[] = [];
  let before = 0;
  for (const store of stores) {
    let count = 0;
    const checked = (now: number): void => {
      count = now;
      progress.show(`${before + now} runs checked`);
    };
    const own = axons.filter(({ persistence }) => persistence.store === store);
    const asked = { axons: own, given, checked, ...(axon !== undefined && { axon }) };
    found.push(...(await checkRuns(store, asked).finally(() => progress.end())));
    before += count;
  }
  if (axon !== undefined && found.length === 0 && !axons.some(({ name }) => name === axon))
    throw new UsageError(
      `neither the module nor a stored run has an Axon '${visible(axon)}' that keeps its runs`,
    );
  return found;
}

const unfitIn = (found: readonly CheckedRuns[]): readonly CheckedRuns[] =>
  found.filter(({ way }) => way === "unfit");
const sumOf = (found: readonly CheckedRuns[]): number => found.reduce((sum, { count }) => sum + count, 0);

const asData = (found: readonly CheckedRuns[]): object => ({
  runs: sumOf(found),
  unfit: sumOf(unfitIn(found)),
  kinds: found,
});

function told(found: readonly CheckedRuns[]): string {
  const total = sumOf(found);
  if (total === 0) return "there are no unfinished runs\n";
  const rows = found.map((each) => [
    visible(each.axon),
    visible(each.version),
    String(each.count),
    fate(each),
  ]);
  const [head = "", ...lines] = aligned([["AXON", "VERSION", "RUNS", "WITH THIS MODULE"], ...rows]);
  const detailed = found.flatMap((each, at) => [lines[at] as string, ...details(each)]);
  const left = sumOf(unfitIn(found));
  const sum =
    left === 0
      ? `${total} unfinished runs: all could resume`
      : `${total} unfinished runs: ${left} could not resume. Add a migration, keep the old Axon by completeOnOldVersion, or cancel them (docs/evolving-runs.md)`;
  return `${[head, ...detailed, sum].join("\n")}\n`;
}

function fate(runs: CheckedRuns): string {
  const stuck = runs.stuck === 0 ? "" : `, ${runs.stuck} of them by hand alone: they are stuck`;
  switch (runs.way) {
    case "same":
      return `resume${stuck}`;
    case "migrates":
      return `migrate by ${runs.strategy}${stuck}`;
    case "old code":
      return `complete on the old Axon${stuck}`;
    case "unfit":
      return "UNFIT";
  }
}

const details = (runs: CheckedRuns): readonly string[] =>
  runs.way === "unfit"
    ? [`  ${visible(runs.reason)}`, `  such as ${runs.examples.map(visible).join(", ")}`]
    : [];

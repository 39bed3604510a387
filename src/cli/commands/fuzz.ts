import { writeFile } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";

import { aligned } from "#config/aligned.js";
import type { FuzzReport } from "#fuzz/index.js";
import { testFile } from "#fuzz/test-file.js";
import { type Given, type Surroundings, UsageError } from "../terminal/command.js";
import { progressLine } from "../terminal/progress.js";
import { type Fuzzed, fuzzed } from "./fuzz-child.js";

export async function fuzz(given: Given, surroundings: Surroundings): Promise<number> {
  const [file] = given.operands;
  if (file === undefined)
    throw new UsageError("the module is missing: framework fuzz dist/app.js; --help tells more");
  const { report, ingress, exports } = await reported(file, given, surroundings);
  surroundings.out(asText(report));
  if (report.failures.length === 0) return 0;
  const out = given.text("out") ?? `fuzz-${report.seed}.test.mjs`;
  const reader = /\.[cm]?tsx?$/.test(file) ? "--import tsx " : "";
  const command = `node ${reader}--test ${out}`;
  const options = {
    ...(given.flag("allow-effects") && { allowEffects: true }),
    ...(given.text("slow-ms") !== undefined && { slowMs: Number(given.text("slow-ms")) }),
  };
  await writeFile(out, testFile(report, { module: importOf(file, out), ingress, exports, options, command }));
  surroundings.out(`\nThe requests are in ${out}: ${command}\n`);
  return 1;
}

async function reported(file: string, given: Given, surroundings: Surroundings): Promise<Fuzzed> {
  const line = progressLine(surroundings);
  const [seed, runs, slowMs] = ["seed", "runs", "slow-ms"].map((option) => number(given, option));
  const [route, as] = [given.text("route"), given.text("as")];
  try {
    const options = {
      ...(seed !== undefined && { seed }),
      ...(runs !== undefined && { runs }),
      ...(slowMs !== undefined && { slowMs }),
      ...(route !== undefined && { route }),
      ...(as !== undefined && { as }),
      allowEffects: given.flag("allow-effects"),
    };
    return await fuzzed(file, options, ({ sent, planned, failures, reduced }) =>
      line.show(
        reduced === 0
          ? `${sent} of ${planned} requests, ${failures} failures`
          : `${reduced} of ${failures} failures reduced`,
      ),
    );
  } finally {
    line.end();
  }
}

/** NaN for invalid numbers, which is refused. */
function number(given: Given, option: string): number | undefined {
  const text = given.text(option);
  if (text === undefined) return undefined;
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

function asText({ seed, routes, failures, isShrunk }: FuzzReport): string {
  const rows = routes.map(({ route, statuses, unanswered }) => [
    route,
    [...statuses].map(([status, count]) => `${status || "none"} x ${count}`).join(", ") +
      (unanswered === 0 ? "" : `, ${unanswered} too late`),
  ]);
  const unreached = routes.filter(
    ({ statuses }) => ![...statuses.keys()].some((status) => status > 0 && status < 400),
  );
  const lines = [
    ...aligned([["ROUTE", "RESPONSES"], ...rows]),
    "",
    ...unreached.map(
      ({ route }) =>
        `${route}: no request succeeded; give its schema examples, or export an identity that may`,
    ),
    ...failures.map(
      ({ route, message, times, isReproduced }) =>
        `${route}: ${message} (${times === 1 ? "once" : `${times} times`}${isReproduced ? "" : ", and not again in an application of its own"})`,
    ),
    `seed ${seed}: ${failures.length === 0 ? "no failure" : failures.length === 1 ? "1 failure" : `${failures.length} failures`}`,
    ...(failures.length === 0 || isShrunk
      ? []
      : ["The requests are as they were drawn: npm install --save-dev fast-check, which shrinks them"]),
  ];
  return `${lines.join("\n")}\n`;
}

/** The module specifier of the import in the written file. */
function importOf(file: string, out: string): string {
  const path = relative(dirname(resolve(out)), resolve(file))
    .split(sep)
    .join("/");
  return path.startsWith(".") ? path : `./${path}`;
}

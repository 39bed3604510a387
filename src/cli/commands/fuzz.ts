import { writeFile } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";

import { aligned } from "#config/aligned.js";
import { FrameworkError } from "#core/errors.js";
import { type FuzzedApplication, type FuzzReport, fuzz as fuzzed } from "#fuzz/index.js";
import { testFile } from "#fuzz/test-file.js";
import { ingressExport, moduleOf } from "../application/application.js";
import { CommandError, type Given, type Surroundings, UsageError } from "../terminal/command.js";
import { progressLine } from "../terminal/progress.js";

export async function fuzz(given: Given, surroundings: Surroundings): Promise<number> {
  const [file] = given.operands;
  if (file === undefined)
    throw new UsageError("the module is missing: framework fuzz dist/app.js; --help tells more");
  const exported = await moduleOf(file);
  const ingress = await ingressExport(exported, file);
  const application = { ...exported, ingress: exported[ingress] } as FuzzedApplication;
  const report = await reported(application, given, surroundings);
  surroundings.out(asText(report));
  if (report.failures.length === 0) return 0;
  const out = given.text("out") ?? `fuzz-${report.seed}.test.mjs`;
  const reader = /\.[cm]?tsx?$/.test(file) ? "--import tsx " : "";
  const command = `node ${reader}--test ${out}`;
  const exports = (["resources", "identities"] as const).filter((name) => Object.hasOwn(exported, name));
  const allowEffects = given.flag("allow-effects");
  await writeFile(
    out,
    testFile(report, { module: importOf(file, out), ingress, exports, allowEffects, command }),
  );
  surroundings.out(`\nThe requests are in ${out}: ${command}\n`);
  return 1;
}

async function reported(
  application: FuzzedApplication,
  given: Given,
  surroundings: Surroundings,
): Promise<FuzzReport> {
  const line = progressLine(surroundings);
  const [seed, runs] = [number(given, "seed"), number(given, "runs")];
  const [route, as] = [given.text("route"), given.text("as")];
  try {
    return await fuzzed(application, {
      ...(seed !== undefined && { seed }),
      ...(runs !== undefined && { runs }),
      ...(route !== undefined && { route }),
      ...(as !== undefined && { as }),
      allowEffects: given.flag("allow-effects"),
      progress: ({ sent, planned, failures, reduced }) =>
        line.show(
          reduced === 0
            ? `${sent} of ${planned} requests, ${failures} failures`
            : `${reduced} of ${failures} failures reduced`,
        ),
    });
  } catch (error) {
    if (error instanceof FrameworkError && error.code === "FUZZ_REFUSED")
      throw new CommandError(error.message);
    throw error;
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

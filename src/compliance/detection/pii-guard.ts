import type { TSchema } from "@sinclair/typebox";

import type { BusView } from "#core/bus/bus.js";
import { declaredOf } from "#core/bus/declared-response.js";
import { FailureLog } from "#core/bus/log.js";
import { type Fault, fault, type Pass, pass } from "#core/bus/outcome.js";
import { type IntoProblemDetail, ProblemDetail } from "#core/bus/problem-detail.js";
import { reportAsWarning } from "#core/bus/reporter.js";
import { guardCodes } from "#core/error-codes.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import type { Category } from "#core/secrets/sensitive.js";
import { compileSchema } from "#schema/compile/validator.js";
import { listedMarks } from "#schema/redaction/listed-marks.js";
import { findings, type IsExempt, type PersonalFinding, type PlacedFinding, textRules } from "./detect.js";
import { masked, valueAt } from "./masked-value.js";

/** "refuse": 422; "mask": the next step gets the input without the data; "report": a line in the log. */
export type PiiGuardMode = "refuse" | "mask" | "report";

export interface PiiGuardOptions {
  readonly mode: PiiGuardMode;
  /** The schema of the input. Its marked fields are not looked at. Required for "mask": a masked input fits it. */
  readonly schema?: TSchema;
  /** Default: every kind. */
  readonly kinds?: readonly Category[];
  /** As in `detect`. */
  readonly regions?: readonly string[];
  readonly name?: string;
}

type Place = Pick<PersonalFinding, "pointer" | "kind">;

const CODE = "PERSONAL_DATA_REFUSED";
const MODES: readonly string[] = ["refuse", "mask", "report"];
const MAX_SHOWN = 100;
const MAX_LOGGED = 20;

/** The input has personal data where none is declared. Has its HTTP response. */
export class PiiFault implements IntoProblemDetail {
  readonly code = CODE;
  /** At most 100. Never values. */
  readonly places: readonly Place[];
  /** True if the input is too large to be looked at whole. */
  readonly isPartial: boolean;

  constructor(places: readonly Place[], isPartial = false) {
    this.places = places;
    this.isPartial = isPartial;
  }

  toProblemDetail(): ProblemDetail {
    return new ProblemDetail({
      code: CODE,
      ...guardCodes[CODE],
      ...(this.isPartial && { detail: "The input is too large to be searched for personal data whole" }),
      extensions: { personal_data: this.places },
    });
  }
}

/**
 * A step that looks for personal data in fields that no schema marks. It sees the declared input of
 * the Axon, or the output of the step before it: put it where the free text is, behind the input.
 */
export class PiiGuard {
  readonly name: string;
  readonly description: string;
  readonly mayRead = [FailureLog] as const;
  readonly responses;
  readonly run: (input: unknown, bus: BusView<never, never, typeof FailureLog>) => Pass | Fault<PiiFault>;

  /** Throws CONFIG_INVALID, or SCHEMA_INVALID for a schema that does not compile. */
  constructor(options: PiiGuardOptions) {
    requireKnownOptions("PiiGuard", options, ["mode", "schema", "kinds", "regions", "name"]);
    const { mode, schema, kinds, regions, name = "PiiGuard" } = options;
    if (!MODES.includes(mode))
      throw invalidOption("PiiGuard", `mode '${String(mode)}': use ${MODES.join(", ")}`);
    if (mode === "mask" && schema === undefined)
      throw invalidOption(
        "PiiGuard",
        "mode 'mask' needs the schema of the input, which a masked input must fit",
      );
    this.name = name;
    this.description = `Personal data in unmarked fields: ${mode}`;
    this.responses = mode === "report" ? [] : declaredOf(guardCodes, CODE);
    const rules = textRules(regions);
    const isExempt = schema === undefined ? () => false : exemptPlaces(schema);
    const fits = schema && compileSchema(schema, { owner: name, origin: "program" }).check;
    const counts = (input: unknown, { kind, path, part }: PlacedFinding): boolean =>
      (kinds === undefined || kinds.includes(kind)) && (part !== "whole" || !isBlank(valueAt(input, path)));
    this.run = (input, bus) => {
      const { found, isWhole } = findings(input, rules, isExempt);
      const all = found.filter((finding) => counts(input, finding));
      // What was not looked at is refused: padding would carry data past the guard.
      if (all.length === 0 && (isWhole || mode === "report")) return pass(input);
      if (mode === "report") {
        report(name, all, bus);
        return pass(input);
      }
      const isMasked = mode === "mask" && isWhole && fits !== undefined;
      const mended = isMasked ? masked(input, all, fits) : undefined;
      // A plain value is passed on as the output of the step; its type is that of the input, as it fits the schema.
      if (mended !== undefined) return mended.value as Pass;
      return fault(new PiiFault(placesOf(all).slice(0, MAX_SHOWN), !isWhole));
    };
    Object.freeze(this);
  }
}

const isBlank = (value: unknown): boolean => value === undefined || value === null || value === "";

const placesOf = (all: readonly PlacedFinding[]): readonly Place[] =>
  all.map(({ pointer, kind }) => ({ pointer, kind }));

function report(
  step: string,
  all: readonly PlacedFinding[],
  bus: BusView<never, never, typeof FailureLog>,
): void {
  const code = "PERSONAL_DATA_FOUND";
  const message = `${step}: personal data in ${all.length} unmarked ${all.length === 1 ? "field" : "fields"}`;
  const log = bus.find(FailureLog);
  const places = placesOf(all).slice(0, MAX_LOGGED);
  if (log !== undefined) log.warn({ code, count: all.length, personal_data: places }, message);
  else
    reportAsWarning({
      code,
      message: `${message}: ${places.map(({ pointer, kind }) => `${pointer} ${kind}`).join(", ")}`,
      step,
    });
}

/** The places that a schema marks, whether as sensitive or as public. */
function exemptPlaces(schema: TSchema): IsExempt {
  const marked = listedMarks(schema).map(({ pointer }) =>
    pointer
      .split("/")
      .slice(1)
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~")),
  );
  return (path) =>
    marked.some(
      (steps) => steps.length === path.length && steps.every((step, i) => step === "*" || step === path[i]),
    );
}

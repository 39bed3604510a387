// Output of `framework bench`: tables for a terminal, and Markdown for a pull request.

import type { Exceeded } from "#bench/budget.js";
import type { ComparedFigure, Comparison, Verdict } from "#bench/comparison.js";
import type { BenchReport, BenchRow } from "#bench/report.js";
import { FIGURES, type FigureName } from "#bench/sample.js";
import { aligned } from "#config/aligned.js";
import { visible } from "#core/wire/visible-text.js";
import { type Painter, painter } from "../terminal/colour.js";
import type { Surroundings } from "../terminal/command.js";

interface Found {
  readonly exceeded: readonly Exceeded[];
  readonly comparison?: Comparison;
}

type Table = readonly (readonly string[])[];

const RUN_HEAD = ["RUN", "TIME", "P99", "ALLOCATED", "CONTROL"];
const ROUTE_HEAD = ["ROUTE", "CPU", "P50", "P99", "A SECOND", "CONTROL"];
const COMPARED_HEAD = ["", "BENCHMARK", "FIGURE", "BASE", "NOW", "LOSS", "NOISE"];

export function textOf(report: BenchReport, found: Found, surroundings: Surroundings): string {
  const paint = painter(surroundings);
  const compared = found.comparison && comparedRows(found.comparison);
  const coloured = (lines: readonly string[]): readonly string[] =>
    lines.map((line) => {
      const colour = COLOURS[line.split(" ", 1)[0] as Verdict];
      return colour === undefined ? line : paint(colour, line);
    });
  return paragraphs(
    ...tablesOf(report).map((table) => aligned(table)),
    [conditionsOf(report)],
    found.exceeded.map((one) => paint("red", exceededText(one))),
    compared === undefined ? [] : coloured(aligned([COMPARED_HEAD, ...compared])),
    found.comparison === undefined ? [] : notesOn(found.comparison),
  );
}

const COLOURS: { readonly [V in Verdict]?: Parameters<Painter>[0] } = {
  fell: "red",
  rose: "green",
  unclear: "yellow",
};

export function markdownOf(report: BenchReport, found: Found): string {
  const compared = found.comparison && comparedRows(found.comparison);
  return paragraphs(
    compared === undefined ? [] : markdownTable([COMPARED_HEAD, ...compared]),
    found.comparison === undefined ? [] : notesOn(found.comparison).map((note) => `- ${note}`),
    found.exceeded.map((one) => `- ${exceededText(one)}`),
    ...tablesOf(report).map(markdownTable),
    [conditionsOf(report)],
  );
}

const paragraphs = (...parts: readonly (readonly string[])[]): string =>
  `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;

function markdownTable([head = [], ...rows]: Table): readonly string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head.map((cell) => cell.toLowerCase())), line(head.map(() => "---")), ...rows.map(line)];
}

function tablesOf({ benchmarks }: BenchReport): readonly Table[] {
  const routes = benchmarks.filter(({ kind }) => kind === "route");
  const runs = benchmarks.filter(({ kind }) => kind !== "route");
  return [
    ...(runs.length === 0 ? [] : [[RUN_HEAD, ...runs.map(cellsOf("ns_a_run", "p99_ns", "bytes_a_run"))]]),
    ...(routes.length === 0
      ? []
      : [
          [ROUTE_HEAD, ...routes.map(cellsOf("cpu_us_a_request", "p50_us", "p99_us", "requests_per_second"))],
        ]),
  ];
}

/** The control is the first figure's. */
const cellsOf =
  (...names: readonly FigureName[]) =>
  ({ name, figures }: BenchRow): readonly string[] => [
    visible(name),
    ...names.map((figure) => shown(figure, figures[figure]?.value)),
    share(figures[names[0] as FigureName]?.control ?? 0),
  ];

const comparedRows = ({ figures }: Comparison): Table =>
  figures.map(({ verdict, name, figure, base, value, loss, noise }: ComparedFigure) => [
    verdict,
    visible(name),
    FIGURES[figure].title,
    shown(figure, base),
    shown(figure, value),
    share(loss),
    share(noise),
  ]);

function notesOn({ figures, fail_over, added, removed, differences }: Comparison): readonly string[] {
  const count = (verdict: Verdict): number => figures.filter((one) => one.verdict === verdict).length;
  const [fell, unclear] = [count("fell"), count("unclear")];
  const named = (names: readonly string[]): string => names.map(visible).join(", ");
  return [
    `${fell === 0 ? "No figure" : fell === 1 ? "1 figure" : `${fell} figures`} fell by more than ${share(fail_over)} and the noise.`,
    ...(unclear === 0
      ? []
      : [
          `${unclear} too noisy to judge: leave the machine alone, or give more --rounds (3 at least) or --seconds.`,
        ]),
    ...(added.length === 0 ? [] : [`New, without a base: ${named(added)}.`]),
    ...(removed.length === 0 ? [] : [`Gone, in the base alone: ${named(removed)}.`]),
    ...differences.map((difference) => `The base was measured otherwise: ${difference}.`),
  ];
}

const exceededText = ({ name, figure, value, allowed }: Exceeded): string =>
  figure === "bytes"
    ? `over its budget: ${visible(name)} allocates ${Number(value.toFixed(1))} B a run; ${allowed} are allowed`
    : `over its budget: the p99 of ${visible(name)} is ${value.toPrecision(3)} ms; ${allowed} are allowed`;

const conditionsOf = ({ rounds, seconds, machine: { node, platform, cpu } }: BenchReport): string =>
  `${rounds} ${rounds === 1 ? "round" : "rounds"} of ${seconds} s, Node.js ${node} on ${platform}, ${cpu}. What the control differs by is noise.`;

const share = (value: number): string =>
  Number.isFinite(value) ? `${(100 * value).toFixed(1)} %` : "unbounded";

const NANOSECONDS = { ns_a_run: 1, p99_ns: 1, cpu_us_a_request: 1e3, p50_us: 1e3, p99_us: 1e3 } as const;

function shown(figure: FigureName, value: number | undefined): string {
  if (value === undefined) return "-";
  if (figure === "bytes_a_run") return `${Number(value.toFixed(1))} B`;
  if (figure === "requests_per_second") return String(Math.round(value));
  return duration(value * NANOSECONDS[figure]);
}

function duration(ns: number): string {
  const [unit, of] = ns < 1e3 ? ["ns", 1] : ns < 1e6 ? ["us", 1e3] : ns < 1e9 ? ["ms", 1e6] : ["s", 1e9];
  return `${Number((ns / (of as number)).toPrecision(3))} ${unit}`;
}

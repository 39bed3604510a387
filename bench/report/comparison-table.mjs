import { isTooWide } from "../measure/quiet.mjs";
import { aligned, showFigure, showRatio } from "./table.mjs";

/** What comparing two commits gave, for the terminal. */
export function comparisonTable(nameOfA, nameOfB, rows) {
  const head = ["suite, arm", "unit", nameOfA, nameOfB, "ratio", "min to max", "control", "better", ""];
  const cells = rows.map(({ suite, arm, unit, a, b, ratio, control, better }) => [
    `${suite}, ${arm}`,
    unit,
    showFigure(a),
    showFigure(b),
    showRatio(ratio.median),
    `${showRatio(ratio.min)} to ${showRatio(ratio.max)}`,
    `${showRatio(control.median)} (${showRatio(control.min)} to ${showRatio(control.max)})`,
    better,
    isTooWide(control) ? "control too wide to judge" : "",
  ]);
  const note = `Ratios are of ${nameOfB} to ${nameOfA}. The control is ${nameOfA} against itself: what lies within it is noise.`;
  return `${aligned([head, ...cells])}\n\n${note}\n`;
}

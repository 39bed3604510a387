// What a suite's measurements say: a row for each arm, and one for each bar that is
// no ratio to the first arm. A plain value, as it is written to JSON.

import { median } from "../measure/median.mjs";
import { isTooWide } from "../measure/quiet.mjs";
import { ratioOf } from "../measure/rounds.mjs";

export function resultOf(suite, arms, asked) {
  const [first, control] = arms;
  const noise = {
    median: median(
      control.measured.map(({ figure }, round) => Math.abs(figure / first.measured[round].figure - 1)),
    ),
    isTooWide: isTooWide(ratioOf(control.measured, first.measured)),
  };
  const { name, title, measures, leavesOut, unit, better, more } = suite;
  const rows = arms.map((arm) => armRow(arm, first, suite));
  for (const bar of suite.bars) {
    const row = rows.find((each) => each.arm === bar.arm);
    if (bar.to === undefined && bar.of === undefined && bar.over === undefined)
      Object.assign(row, verdict(bar, row.ratio.median, noise));
    else rows.push(barRow(bar, arms, suite, noise));
  }
  const length = { rounds: first.measured.length, seconds: asked ?? suite.seconds ?? 1 };
  return { name, title, measures, leavesOut, unit, better, more, ...length, noise: noise.median, rows };
}

function armRow({ name, measured }, first, { unit, more }) {
  const medianOf = (key) => median(measured.map((one) => one[key]));
  return {
    arm: name,
    figure: medianOf("figure"),
    unit,
    ...Object.fromEntries(more.map((key) => [key, medianOf(key)])),
    ratio: ratioOf(measured, first.measured),
    bar: null,
    aim: null,
    verdict: null,
  };
}

function barRow(bar, arms, { unit }, noise) {
  const measuredOf = (name) => arms.find((arm) => arm.name === name).measured;
  if (bar.to !== undefined) {
    const ratio = ratioOf(measuredOf(bar.arm), measuredOf(bar.to));
    const row = { arm: `${bar.arm} : ${bar.to}`, figure: null, unit: null, ratio };
    return { ...row, ...verdict(bar, ratio.median, noise) };
  }
  if (bar.over !== undefined) {
    const others = measuredOf(bar.over);
    const figure = median(measuredOf(bar.arm).map((one, round) => one.figure - others[round].figure));
    const row = { arm: `${bar.arm}, over ${bar.over}`, figure, unit, ratio: null };
    return { ...row, ...verdict(bar, figure, EXACT) };
  }
  const figure = median(measuredOf(bar.arm).map((one) => one[bar.of]));
  const isBytes = bar.of === "bytes";
  const of = bar.unit ?? unit;
  const row = {
    arm: `${bar.arm}, ${isBytes ? "bytes a run" : of}`,
    figure,
    unit: isBytes ? "B" : of,
    ratio: null,
  };
  // A limit in milliseconds far from what is measured: the control's noise says nothing about it.
  return { ...row, ...verdict(bar, figure, isBytes || bar.isExact === true ? EXACT : noise) };
}

/** Of bytes, and of what is counted in place of timed. */
const EXACT = { median: 0, isTooWide: false };

/**
 * "unclear" beside a control that is too wide to judge by, which is no pass. "missed, within noise":
 * the control differs from its own twin by as much.
 */
function verdict({ atMost, atLeast, aim = null }, value, noise) {
  const limit = atMost ?? atLeast;
  const isMet = atMost !== undefined ? value <= atMost : value >= atLeast;
  const isNear = Math.abs(value - limit) <= noise.median * limit;
  const missed = isNear ? "missed, within noise" : "missed";
  return {
    bar: atMost !== undefined ? `<= ${atMost}` : `>= ${atLeast}`,
    aim,
    verdict: noise.isTooWide ? "unclear" : isMet ? "met" : missed,
  };
}

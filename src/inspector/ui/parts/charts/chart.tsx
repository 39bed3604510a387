// Lines over time, with their values at the pointer or at the position of the arrow keys.

import { useState } from "preact/hooks";

import { duration } from "../../format/duration.js";
import "./chart.css";

interface ChartLine {
  readonly label: string;
  readonly values: readonly (number | null)[];
  readonly isQuiet?: boolean;
}

export interface ChartProps {
  readonly label: string;
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[];
  /** Values in microseconds. */
  readonly lines: readonly ChartLine[];
}

/** Internal units of the drawing, which is stretched to its box. */
const SIZE = 1000;
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

export function Chart({ label, times, lines }: ChartProps) {
  const [chosen, choose] = useState<number | undefined>(undefined);
  const top = 1.1 * Math.max(1, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const first = times[0] ?? 0;
  const span = Math.max(1, (times[times.length - 1] ?? 0) - first);
  const x = (n: number): number => (((times[n] ?? first) - first) / span) * SIZE;
  const at = chosen === undefined ? undefined : Math.min(chosen, times.length - 1);
  const nearest = (share: number): number =>
    times.reduce(
      (best, _, n) => (Math.abs(x(n) - share * SIZE) < Math.abs(x(best) - share * SIZE) ? n : best),
      0,
    );
  return (
    <figure
      class="chart"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move along the chart.
      tabIndex={0}
      onKeyDown={(event) => {
        const step = STEPS[event.key];
        if (step === undefined) return;
        event.preventDefault();
        choose(Math.max(0, Math.min(times.length - 1, (at ?? times.length - 1) + step)));
      }}
      onBlur={() => choose(undefined)}
      onPointerLeave={() => choose(undefined)}
      onPointerMove={({ currentTarget, clientX }) => {
        const { left, width } = currentTarget.getBoundingClientRect();
        choose(nearest((clientX - left) / width));
      }}
    >
      <span class="most">{duration(top)}</span>
      <svg viewBox={`0 0 ${SIZE} ${SIZE}`} preserveAspectRatio="none" aria-hidden="true">
        <path class="grid" d={`M0 ${SIZE / 2}H${SIZE}M0 ${SIZE}H${SIZE}`} />
        {lines.map(({ label: name, values, isQuiet }) => (
          <path key={name} class={isQuiet ? "line quiet" : "line"} d={pathOf(values, x, top)} />
        ))}
        {at !== undefined && <path class="at" d={`M${x(at)} 0V${SIZE}`} />}
      </svg>
      <figcaption>
        {at === undefined ? (
          <>
            <span>{timeOf(first)}</span>
            <span>{timeOf(first + span)}</span>
          </>
        ) : (
          <span role="status">
            {timeOf(times[at] ?? first)}
            {lines.map(({ label: name, values }) => ` · ${name} ${textOf(values[at])}`)}
          </span>
        )}
      </figcaption>
    </figure>
  );
}

/** Breaks the line at missing values. */
function pathOf(values: readonly (number | null)[], x: (n: number) => number, top: number): string {
  let path = "";
  let isDrawing = false;
  for (const [n, value] of values.entries()) {
    if (value !== null)
      path += `${isDrawing ? "L" : "M"}${x(n).toFixed(1)} ${(SIZE - (value / top) * SIZE).toFixed(1)}`;
    isDrawing = value !== null;
  }
  return path;
}

const textOf = (us: number | null | undefined): string => (us == null ? "–" : duration(us));
const timeOf = (seconds: number): string => new Date(seconds * 1000).toTimeString().slice(0, 8);

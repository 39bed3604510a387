// Lines over time, by uPlot. It draws on a canvas: beside it stands the same as text.

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

import { duration } from "../format/duration.js";
import { useStore } from "../state/store.js";
import { theme } from "../state/theme.js";
import "./chart.css";

interface ChartLine {
  readonly label: string;
  /** A custom property of the theme: "--accent". */
  readonly color: string;
  readonly values: readonly (number | null)[];
  readonly isDashed?: boolean;
}

export interface ChartProps {
  readonly label: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  /** Microseconds. */
  readonly lines: readonly ChartLine[];
  readonly height?: number;
}

export function Chart({ label, times, lines, height = 140 }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const chosen = useStore(theme);
  const names = lines.map((line) => line.label).join(" ");

  // Colours are read anew with the theme.
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    plot.current = new uPlot(optionsOf(lines, element, height), dataOf(times, lines), element);
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [chosen, names, height]);

  useEffect(() => plot.current?.setData(dataOf(times, lines)), [times, lines]);
  return <div class="chart" ref={box} role="img" aria-label={label} style={{ height: `${height}px` }} />;
}

const dataOf = (times: readonly number[], lines: readonly ChartLine[]): uPlot.AlignedData =>
  [times, ...lines.map(({ values }) => values)] as unknown as uPlot.AlignedData;

function optionsOf(lines: readonly ChartLine[], element: HTMLElement, height: number): uPlot.Options {
  const style = getComputedStyle(element);
  // A canvas does not know light-dark(): an element resolves it.
  const color = (name: string): string => {
    const probe = document.createElement("i");
    probe.style.color = `var(${name})`;
    element.append(probe);
    const resolved = getComputedStyle(probe).color;
    probe.remove();
    return resolved;
  };
  const axis = { stroke: color("--dim"), font: `11px ${style.fontFamily}`, ticks: { show: false } };
  const grid = { stroke: color("--line"), width: 1 };
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 8, 0, 0],
    scales: { x: { time: true }, y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] } },
    axes: [
      { ...axis, grid: { show: false }, size: 24, space: 80, values: (_, at) => at.map(timeOf) },
      { ...axis, grid, size: 56, values: (_, at) => at.map((us) => duration(us)) },
    ],
    series: [
      {},
      ...lines.map((line) => ({
        label: line.label,
        stroke: color(line.color),
        width: 1.5,
        points: { show: false },
        ...(line.isDashed === true ? { dash: [4, 3] } : {}),
      })),
    ],
  };
}

const timeOf = (seconds: number): string => new Date(seconds * 1000).toTimeString().slice(0, 8);

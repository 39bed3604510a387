import "./sparkline.css";

export interface SparklineProps {
  readonly values: readonly number[];
  /** The failed part of each value, drawn in its own colour at the bottom. */
  readonly bad?: readonly number[];
  readonly width?: number;
  readonly height?: number;
  /** Description for screen readers. */
  readonly label: string;
}

/** One bar per value, on a scale from zero. */
export function Sparkline({ values, bad, width = 120, height = 20, label }: SparklineProps) {
  const top = Math.max(1, ...values);
  const step = width / Math.max(1, values.length);
  const column = (value: number, n: number) =>
    value <= 0
      ? ""
      : `M${(n * step).toFixed(2)} ${height}V${(height - Math.max(1, (value / top) * height)).toFixed(2)}h${Math.max(0.5, step - 0.5).toFixed(2)}V${height}z`;
  return (
    <svg
      class="sparkline"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
    >
      <path class="all" d={values.map(column).join("")} />
      {bad !== undefined && <path class="bad" d={bad.map(column).join("")} />}
      <path class="ground" d={`M0 ${height - 0.5}H${width}`} />
    </svg>
  );
}

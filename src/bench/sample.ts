/** The figures of a benchmark. A difference up to `least` is none: V8 itself allocates a few bytes. */
export const FIGURES = {
  ns_a_run: { title: "ns a run", better: "lower", isJudged: true, least: 0 },
  bytes_a_run: { title: "bytes a run", better: "lower", isJudged: true, least: 8 },
  p99_ns: { title: "p99 in ns", better: "lower", isJudged: false, least: 0 },
  cpu_us_a_request: { title: "us of CPU a request", better: "lower", isJudged: true, least: 0 },
  requests_per_second: { title: "requests a second", better: "higher", isJudged: true, least: 0 },
  p50_us: { title: "p50 in us", better: "lower", isJudged: false, least: 0 },
  p99_us: { title: "p99 in us", better: "lower", isJudged: false, least: 0 },
} as const;

export type FigureName = keyof typeof FIGURES;

/** One measurement of one figure. */
export interface Sample {
  readonly value: number;
  /** The value by that of the calibration around it. Absent where that would mean nothing. */
  readonly relative?: number;
  /** Share of the time in which a process computed: below a half the figure is that of waiting. */
  readonly busy?: number;
}

/** What one process measured. */
export type Sampled = { readonly [Name in FigureName]?: Sample };

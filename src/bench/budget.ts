import type { BenchReport } from "./report.js";

/** A figure above what the Axon declares by `budget()`. */
export interface Exceeded {
  readonly name: string;
  readonly figure: "p99_ms" | "bytes";
  readonly value: number;
  readonly allowed: number;
}

export const exceededIn = ({ benchmarks }: BenchReport): readonly Exceeded[] =>
  benchmarks.flatMap(({ name, budget = {}, figures }) => {
    const { p99_ns, p99_us, bytes_a_run } = figures;
    const found = {
      p99_ms: p99_ns ? p99_ns.value / 1e6 : (p99_us?.value ?? 0) / 1e3,
      bytes: bytes_a_run?.value ?? 0,
    };
    return (["p99_ms", "bytes"] as const).flatMap((figure) => {
      const [value, allowed] = [found[figure], budget[figure] ?? Number.POSITIVE_INFINITY];
      return value > allowed ? [{ name, figure, value, allowed }] : [];
    });
  });

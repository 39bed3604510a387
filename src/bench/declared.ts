// The benchmarks that a file declares. Every copy of the package in a process adds to one list,
// so that the command finds them whichever copy the file imports.

import { inspect } from "node:util";
import { isFault } from "#core/bus/outcome.js";
import { invalidOption } from "#core/invalid-option.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import type { BenchRequest } from "./bench-request.js";

export interface RunBenchmark {
  readonly kind: "axon" | "function";
  readonly name: string;
  readonly run: () => unknown;
  readonly budget: AnyAxon["definition"]["budget"];
}

export interface RouteBenchmark {
  readonly kind: "route";
  /** "POST /orders". */
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly request: BenchRequest;
}

export type Benchmark = RunBenchmark | RouteBenchmark;

const REGISTRY = Symbol.for("framework.benchmarks.1");
type Registry = { [REGISTRY]?: Benchmark[] };

export const declared = (): readonly Benchmark[] => (globalThis as Registry)[REGISTRY] ?? [];

/** Throws CONFIG_INVALID for a second benchmark of one name: their figures could not be told apart. */
export function declare(benchmark: Benchmark): void {
  const known = declared();
  if (known.some(({ name }) => name === benchmark.name))
    throw invalidOption(
      `bench('${benchmark.name}')`,
      "another benchmark has this name: give each a name of its own",
    );
  (globalThis as Registry)[REGISTRY] = [...known, benchmark];
}

/** Describes an outcome that must not be measured, as a fault is no fast run; undefined for any other. */
export const faultOf = (outcome: unknown): string | undefined =>
  isFault(outcome)
    ? `it ends with a fault: ${inspect(outcome.error, { breakLength: Number.POSITIVE_INFINITY, depth: 2 })}`
    : undefined;

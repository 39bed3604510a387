import type { NodeSpan, Recorder, WatchLevel } from "#core/timeline/recorder.js";
import { missingKeys, requireNoneMissing } from "#runtime/check/definite-assignment.js";
import { Program, type ProgramOptions } from "#runtime/compile/program.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import { RunControl } from "#runtime/run/run-control.js";
import { generators } from "./code-generation.js";

export interface Executor {
  readonly name: string;
  readonly options: ProgramOptions;
  /** How its runs are watched. */
  readonly level?: WatchLevel;
}

const span: NodeSpan = {
  placeIn: (given) => given,
  run: (call) => call(),
  failed: () => {},
  tried: () => span,
  branched: () => {},
  worked: () => {},
  left: () => {},
};

/** A recorder that only lets runs be watched, and one that is told of everything. */
const recorder: Recorder = {};
const told: Recorder = {
  beforeNode: (_run, _node, input) => input,
  afterNode: () => {},
  busAccess: () => {},
  span: () => span,
  event: () => {},
  ended: () => {},
  answered: () => {},
};

/**
 * Every way in which an Axon can be run: generated or looped, as in production or
 * checked, counted and traced. The loop alone where code must not be generated.
 */
export const executors: readonly Executor[] = [
  ...[true, false].flatMap((production) =>
    generators.map((generate) => ({
      name: `${generate ? "generated code" : "loop"}${production ? "" : ", checked"}`,
      options: { generate, production },
    })),
  ),
  ...generators.map(
    (generate): Executor => ({
      name: generate ? "counted" : "counted loop",
      options: { generate, production: true, recorder },
      level: { kind: "counted" },
    }),
  ),
  ...generators.map(
    (generate): Executor => ({
      name: generate ? "traced" : "traced loop",
      options: { generate, production: true, recorder },
      level: { kind: "all" },
    }),
  ),
  { name: "traced, told, checked", options: { production: false, recorder: told }, level: { kind: "all" } },
];

export interface Ran {
  readonly outcome: unknown;
  /** Whether it answered at once. */
  readonly sync: boolean;
  /** Bus values by the names of their keys. */
  readonly bus: Readonly<Record<string, unknown>>;
}

/** Runs an Axon once, with an abort signal if one is given, and shows what it left on the Bus. */
export async function runOnce(
  axon: { readonly definition: AxonDefinition },
  input: unknown,
  executor: Executor,
  signal?: AbortSignal,
): Promise<Ran> {
  const program = new Program(axon.definition, executor.options);
  requireNoneMissing(missingKeys(program.name, program.code, []));
  if (executor.level !== undefined) program.watch?.watch(executor.level);
  const state = program.acquire();
  // Controlled, a state is kept when the run is over.
  state.control = new RunControl();
  if (signal !== undefined) state.control.follow(signal);
  const run = signal === undefined || executor.level?.kind === "all" ? program.run : program.runAbortable;
  const answer = run(input, state);
  const outcome = await answer;
  const bus = Object.fromEntries(program.layout.keys.map((key, i) => [key.name, state.values[i + 1]]));
  return { outcome, sync: !(answer instanceof Promise), bus };
}

// The steps by which a run waits, begins another run, or goes on in a new log. Options are checked
// here: each function throws CONFIG_INVALID with the place.

import type { TSchema } from "@sinclair/typebox";
import { type AnyKey, type BusKey, namedKey } from "#core/bus/bus-key.js";
import { type Fault, isFault } from "#core/bus/outcome.js";
import type { AnySignal } from "#core/flow/signal.js";
import type { AnyTransition } from "#core/flow/transition.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import { type AxonDefinition, type StepBody, visitAxon } from "./axon-definition.js";
import { invalidStep, requireAxon } from "./required-step.js";
import { MAX_WAIT_MS, type SignalWait, type Sleep, type WaitDefinition } from "./wait.js";

/** A step without code of its own: the executor reads its body. */
export interface WaitingStep {
  readonly transition: AnyTransition;
  readonly body: StepBody;
}

interface Owner {
  readonly name: string;
}

type TakeOf<T> = ((value: never, came: never, bus: never) => T) | undefined;

/** The options as they come, of typed and untyped callers. */
export interface GivenOptions {
  readonly name?: string;
  readonly reads?: readonly AnyKey[];
  readonly timeoutMs?: number;
  readonly onTimeout?: string | Fault<unknown>;
  readonly take?: TakeOf<unknown>;
  readonly input?: (value: never, bus: never) => unknown;
}

/** The only key of the runs that begin in another run and are of the Axon of this name. */
export const childKey = (axon: string): BusKey<string, `run:${string}`> => namedKey(`run:${axon}`);

export function sleepStep(
  axon: Owner,
  name: string,
  until: Sleep["until"],
  options: GivenOptions,
): WaitingStep {
  const call = `Axon '${axon.name}': sleep('${name}')`;
  requireKnownOptions(call, options, ["reads"]);
  if (typeof until !== "function" && !isWaitTime(until, 0))
    throw invalidOption(
      call,
      `it sleeps for ${until}: give milliseconds from 0 to ${MAX_WAIT_MS}, or a function that answers a Date`,
    );
  return waiting(name, { kind: "sleep", until }, options);
}

export function signalStep(
  axon: Owner,
  given: readonly AnySignal[],
  isAny: boolean,
  options: GivenOptions,
): WaitingStep {
  const call = `Axon '${axon.name}': ${isAny ? "waitForAny" : "waitFor"}`;
  requireKnownOptions(call, options, ["name", "reads", "timeoutMs", "onTimeout", "take"]);
  const signals = requireSignals(call, given);
  const names = signals.map(({ name }) => name).join(" or ");
  const { name = `wait for ${names}`, timeoutMs, onTimeout, take } = options;
  requireTimeout(`${call}(${names})`, options);
  requireFunction(`${call}(${names})`, "take", take);
  return waiting(name, { kind: "signals", signals, isAny, timeoutMs, onTimeout, take }, options, {
    branches: typeof onTimeout === "string" ? [onTimeout] : [],
    // What `take` makes has another form.
    ...(!isAny && take === undefined && { output: signals[0]?.schema as TSchema }),
  });
}

export function startStep(
  axon: Owner,
  other: { readonly definition: AxonDefinition },
  options: GivenOptions,
) {
  const call = `startRun() of Axon '${axon.name}'`;
  const started = requireKept(call, other);
  requireKnownOptions(call, options, ["name", "reads", "input"]);
  const { name = `start ${started}`, input } = options;
  requireFunction(call, "input", input);
  const child = childKey(started);
  const start = { axon: started, child, input: input ?? ((value: never) => value) };
  return {
    transition: bodyless(name, options, { writes: [child] }),
    body: { kind: "start", start },
  } as const;
}

export function runWaitStep(
  axon: Owner,
  other: { readonly definition: AxonDefinition },
  options: GivenOptions,
): WaitingStep {
  const call = `awaitRun() of Axon '${axon.name}'`;
  const awaited = requireKept(call, other);
  requireKnownOptions(call, options, ["name", "reads", "take"]);
  const { name = `await ${awaited}`, take, reads = [] } = options;
  requireFunction(call, "take", take);
  const child = childKey(awaited);
  return waiting(name, { kind: "run", axon: awaited, child, take }, { reads: [child, ...reads] });
}

export function continueStep(
  axon: Owner,
  input: (value: never, bus: never) => unknown,
  options: GivenOptions,
): WaitingStep {
  const call = `continueAs() of Axon '${axon.name}'`;
  requireKnownOptions(call, options, ["name", "reads"]);
  if (typeof input !== "function")
    throw invalidOption(call, "give a function that makes the input of the run, as in (value) => value");
  return waiting(options.name ?? "continue", { kind: "continue", input }, options);
}

/** True if runs of the Axon wait somewhere. */
export function waits(axon: AxonDefinition): boolean {
  let isFound = false;
  visitAxon(axon, {
    step: ({ body }) => {
      isFound ||= body.kind === "wait";
    },
  });
  return isFound;
}

/** True for the step behind which nothing of its Axon runs. */
export const endsAxon = (body: StepBody | undefined): boolean =>
  body?.kind === "wait" && body.wait.kind === "continue";

const waiting = (
  name: string,
  wait: WaitDefinition,
  options: GivenOptions,
  declared: Partial<AnyTransition> = {},
): WaitingStep => ({ transition: bodyless(name, options, declared), body: { kind: "wait", wait } });

const bodyless = (
  name: string,
  { reads = [] }: GivenOptions,
  declared: Partial<AnyTransition>,
): AnyTransition =>
  Object.freeze({
    name,
    reads,
    ...declared,
    run: () => {
      throw invalidStep(`Step '${name}' waits or begins a run: it has no function of its own`);
    },
  });

const isWaitTime = (ms: unknown, least: number): boolean =>
  typeof ms === "number" && ms >= least && ms <= MAX_WAIT_MS;

function requireTimeout(call: string, { timeoutMs, onTimeout }: GivenOptions): void {
  if (timeoutMs !== undefined && !isWaitTime(timeoutMs, 1))
    throw invalidOption(call, `timeoutMs is ${timeoutMs}: give milliseconds from 1 to ${MAX_WAIT_MS}`);
  if (onTimeout === undefined) return;
  if (timeoutMs === undefined) throw invalidOption(call, "onTimeout has no effect without timeoutMs: add it");
  if (!isFault(onTimeout) && (typeof onTimeout !== "string" || onTimeout === ""))
    throw invalidOption(call, "onTimeout is neither the id of a branch nor a fault(...)");
}

function requireSignals(call: string, given: readonly AnySignal[]): SignalWait["signals"] {
  if (!Array.isArray(given) || given.length === 0)
    throw invalidOption(call, "give at least one kind of signal, made by signal<P>()(name, schema)");
  const names = new Set<string>();
  for (const kind of given as readonly Partial<AnySignal>[]) {
    if (typeof kind?.name !== "string" || typeof kind.schema !== "object")
      throw invalidOption(call, "it was given no kind of signal: make one by signal<P>()(name, schema)");
    if (names.has(kind.name))
      throw invalidOption(call, `the signal '${kind.name}' is given twice: remove one`);
    names.add(kind.name);
  }
  return [...given];
}

function requireFunction(call: string, option: string, given: unknown): void {
  if (given !== undefined && typeof given !== "function")
    throw invalidOption(call, `${option} is no function`);
}

/** Returns the name of an Axon whose runs are kept. */
function requireKept(call: string, other: { readonly definition: AxonDefinition }): string {
  const { name, persistence } = requireAxon(call, other).definition;
  if (persistence !== undefined) return name;
  throw invalidOption(
    call,
    `the runs of Axon '${name}' are not stored, so that nobody could wait for one: add .withPersistenceStore(Stores.mounted) to it`,
  );
}

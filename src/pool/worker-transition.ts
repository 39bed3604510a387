import type { Static, TSchema } from "@sinclair/typebox";

import type { BusView } from "#core/bus/bus.js";
import type { AnyKey } from "#core/bus/bus-key.js";
import type { DeclaredResponse } from "#core/bus/declared-response.js";
import { MAX_TIMER_MS } from "#core/clock.js";
import { type KeysNamed, type NamedKeys, type NoKeys, withNamedKeys } from "#core/flow/named-keys.js";
import { type OffloadedTransition, requireReplay } from "#core/flow/transition.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import { spanOf } from "#runtime/run/node-span.js";
import { requireCloneable } from "./cloneable-schema.js";
import { currentPool } from "./process-pool.js";
import type { AnswerOf, FunctionOf, InputOf, ReadByName, WorkerModule } from "./worker-module.js";

const LOAD_MS = 30_000;

/** ArrayBuffers and ports: transferred instead of copied, and no longer usable by the sender. */
type Transferable = ArrayBuffer | import("node:worker_threads").Transferable;

export interface WorkerTransitionOptions<
  M,
  K,
  In,
  S,
  O,
  Rd extends readonly AnyKey[],
  U extends NamedKeys = NoKeys,
> {
  readonly name: string;
  readonly description?: string;
  readonly module: WorkerModule<M>;
  /** The name of an exported function. It is called as `resize(input)`, or `resize(input, read)` with `uses` or `reads`. */
  readonly export: K;
  readonly input?: S;
  readonly output?: O;
  /** Keys whose values are sent with the input: `uses: { width: Width }` makes `read.width`. Cloned like the input. */
  readonly uses?: U;
  /** Likewise, under the names of the keys. */
  readonly reads?: Rd;
  /** Parts of the input that are transferred instead of copied: `(image) => [image.buffer]`. */
  readonly transfer?: (input: In) => readonly Transferable[];
  /** Transfers the ArrayBuffers of the result and of its own properties, instead of copying them. */
  readonly transferOutput?: boolean;
  /** As `pure` and `effect` of any step say, to a replay. */
  readonly pure?: true;
  readonly effect?: true;
  /** Responses for its faults, for documentation. */
  readonly responses?: readonly DeclaredResponse[];
  /**
   * Time limit of the function: after it the run ends with STEP_TIMEOUT, and the thread is ended. A
   * limit of the Axon (thenWithTimeout) overrides it. It begins when the function is called: neither
   * the queue nor loading the module counts.
   */
  readonly timeoutMs?: number;
  /** Time limit of starting a thread and loading the module in it: WORKER_MODULE_FAILED. Default 30 000. */
  readonly loadTimeoutMs?: number;
}

type AnyOptions = WorkerTransitionOptions<
  unknown,
  string,
  unknown,
  TSchema,
  TSchema,
  readonly AnyKey[],
  NamedKeys
>;

const OPTIONS = [
  ...["name", "description", "module", "export", "input", "output", "uses", "reads"],
  ...["pure", "effect", "transfer", "transferOutput", "responses", "timeoutMs", "loadTimeoutMs"],
];

/**
 * A step that calls an exported function of a module in a thread of the pool. Input, result and fault
 * are cloned: only data crosses. Append it by `axon.offload(step)`. Throws CONFIG_INVALID.
 */
export function workerTransition<
  M,
  K extends FunctionOf<M, Rd, U>,
  S extends TSchema = TSchema,
  O extends TSchema = TSchema,
  const Rd extends readonly AnyKey[] = [],
  U extends NamedKeys = NoKeys,
>(
  options: WorkerTransitionOptions<M, K, InputOf<M[K]>, S, O, Rd, U> & Fits<M[K], S, O>,
): OffloadedTransition<InputOf<M[K]>, Promise<AnswerOf<M[K]>>, Rd[number] | KeysNamed<U>>;
export function workerTransition(
  options: AnyOptions,
): OffloadedTransition<unknown, Promise<unknown>, AnyKey> {
  const { name, module, export: exported, transfer, transferOutput: moves = false } = options;
  const { description, input, output, pure, effect, responses, timeoutMs, loadTimeoutMs = LOAD_MS } = options;
  requireOptions(options);
  const sent = sentKeys(options);
  const reads = [...new Set(Object.values(sent))];
  const { url } = module;
  return Object.freeze({
    name,
    ...(description !== undefined && { description }),
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(reads.length > 0 && { reads }),
    ...(pure && { pure }),
    ...(effect && { effect }),
    ...(responses !== undefined && { responses }),
    offload: Object.freeze({ module: baseName(url), export: exported, timeoutMs }),
    run: (given: unknown, bus: BusView<AnyKey>) =>
      currentPool().run({
        step: name,
        task: { module: url, name: exported, input: given, read: readFrom(bus, sent), moves },
        transfer: transfer === undefined ? [] : [...transfer(given)],
        loadTimeoutMs,
        signal: bus.signal,
        span: spanOf(bus),
      }),
  });
}

/** True if the schemas match the types of the function. */
type Fits<F, S, O> = ([TSchema] extends [S]
  ? unknown
  : S extends TSchema
    ? [Static<S>] extends [InputOf<F>]
      ? unknown
      : "the function does not take what its 'input' schema allows"
    : unknown) &
  ([TSchema] extends [O]
    ? unknown
    : O extends TSchema
      ? [Exclude<AnswerOf<F>, import("#core/bus/outcome.js").Control>] extends [Static<O>]
        ? unknown
        : "the function answers what its 'output' schema does not allow"
      : unknown);

function requireOptions(options: AnyOptions): void {
  const { name, module, timeoutMs, loadTimeoutMs, input, output } = options;
  const call = `workerTransition '${name}'`;
  requireKnownOptions(call, options, OPTIONS);
  requireReplay(options);
  if (typeof module?.url !== "string")
    throw invalidOption(call, "give 'module' what workerModule(new URL(...)) answers");
  if (typeof options.export !== "string" || options.export === "")
    throw invalidOption(call, "give 'export' the name of an exported function");
  for (const [limit, ms] of Object.entries({ timeoutMs, loadTimeoutMs }))
    if (ms !== undefined && !(ms > 0 && ms <= MAX_TIMER_MS))
      throw invalidOption(call, `${limit} is in milliseconds above 0, at most ${MAX_TIMER_MS}`);
  requireCloneable(`${call}: its input schema`, input);
  requireCloneable(`${call}: its output schema`, output);
}

/** Throws CONFIG_INVALID. */
function sentKeys({ name, uses, reads = [] }: AnyOptions): NamedKeys {
  const named = uses ?? {};
  // Checks the names.
  withNamedKeys({ name, uses: named, run: () => undefined });
  for (const key of reads)
    if (Object.hasOwn(named, key.name) && named[key.name] !== key)
      throw invalidOption(`workerTransition '${name}'`, `'${key.name}' names two keys: choose two names`);
  return { ...Object.fromEntries(reads.map((key) => [key.name, key])), ...named };
}

function readFrom(bus: BusView<AnyKey>, sent: NamedKeys): ReadByName<readonly AnyKey[]> | undefined {
  const entries = Object.entries(sent);
  if (entries.length === 0) return undefined;
  return Object.fromEntries(entries.map(([name, key]) => [name, bus.get(key)]));
}

const baseName = (url: string): string => decodeURIComponent(url.slice(url.lastIndexOf("/") + 1));

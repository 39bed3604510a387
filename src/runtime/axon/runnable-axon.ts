import type { Bus } from "#core/bus/bus.js";
import type { AnyKey } from "#core/bus/bus-key.js";
import type { Fault } from "#core/bus/outcome.js";
import type { RuntimeFault } from "#core/bus/runtime-fault.js";
import type { Schematic } from "#core/flow/schematic.js";
import type { AxonDefinition } from "../definition/axon-definition.js";
import { explain } from "../draw/explain.js";
import { type SchematicOptions, schematicOf } from "../draw/schematic-of.js";
import { BY_PROGRAM } from "../run/intervention.js";
import { advanceRun } from "./advance.js";
import type { Advanced, AdvanceOptions, LogEntry } from "./advance-types.js";
import type { Executable, ExecuteArgs, RunResult } from "./axon-flow.js";
import { type Cancelling, cancelRun } from "./cancel.js";
import { hostedAxon } from "./hosted-axons.js";
import { compileExecute, type Execute, executeFrom } from "./in-process.js";
import { resumeRun } from "./resume.js";
import type { ForceOptions } from "./resume-options.js";

export abstract class RunnableAxon<In, Out, E, Needs extends AnyKey> {
  /** @internal */
  readonly definition: AxonDefinition;

  protected constructor(definition: AxonDefinition) {
    this.definition = definition;
  }

  get name(): string {
    return this.definition.name;
  }

  /** The structure as data. */
  schematic(options: SchematicOptions = {}): Schematic {
    return schematicOf(this.definition, options);
  }

  /** The structure as text; with `code`, the function that runs it too. */
  explain(options: { readonly code?: boolean } = {}): string {
    return explain(this.definition, options);
  }

  /** Runs it. Returns the outcome, or a promise if a step is pending. The first call throws the errors of mounting. */
  execute<A>(this: A & Executable<A>, ...args: ExecuteArgs<In, Needs>): RunResult<Out, E>;
  execute(input: unknown, bus?: Bus, signal?: AbortSignal): unknown {
    // An own property from now on: callers then reach the compiled function directly.
    this.execute = compileExecute(this.definition, bus) as typeof this.execute;
    return (this.execute as Execute)(input, bus, signal);
  }

  /**
   * Runs it from one node of its Schematic on, with the input of that step: to continue a run that
   * stopped there. Throws AXON_NODE_UNKNOWN for a node inside a step.
   */
  executeFrom<A>(
    this: A & Executable<A>,
    node: string,
    input: unknown,
    bus?: Bus,
    signal?: AbortSignal,
  ): RunResult<Out, E>;
  executeFrom(node: string, input: unknown, bus?: Bus, signal?: AbortSignal): RunResult<Out, E> {
    return executeFrom(this.definition, node, input, bus, signal) as RunResult<Out, E>;
  }

  /**
   * Resumes a stopped run at its first step without a checkpoint. The Bus holds the values a run
   * needs from outside, as for `execute`. If two callers resume one run at once, one continues it and
   * the other gets RUN_TAKEN. For a run that is over it returns the outcome. A run at work, in this
   * process or in a host whose lease lives, is RUN_OWNED; `force` takes it: its step may run twice.
   * `intervention` names the actor, for the audit log of the Axon.
   */
  resume(
    runId: string,
    bus?: Bus<any>,
    signal?: AbortSignal,
    intervention = BY_PROGRAM,
    { force = false }: ForceOptions = {},
  ): Promise<Out | Fault<E | RuntimeFault>> {
    const options = { bus, signal, intervention, force, by: hostedAxon(this.definition)?.host };
    return resumeRun(this.definition, runId, options) as Promise<Out | Fault<E | RuntimeFault>>;
  }

  /**
   * Runs it to its next entry and keeps nothing, for hosts that keep logs themselves: an engine of
   * workflows, a queue. `log` has the entries of the calls before, oldest first; empty for a new run.
   * The host keeps the answered `entries`, all or none, and calls again until `over`. Two calls for
   * one run at a time are the host's to prevent: `RunEpoch` does not tell them apart. Rejects with
   * CONFIG_INVALID for an Axon that cannot be advanced, KEYS_UNPROVIDED for values that `bus` lacks.
   */
  advance<A>(
    this: A & Executable<A>,
    log: readonly LogEntry[],
    options: AdvanceOptions<In, Needs>,
  ): Promise<Advanced<Out | Fault<E | RuntimeFault>>>;
  advance(log: readonly LogEntry[], options: AdvanceOptions<In, Needs>): Promise<Advanced<any>> {
    return advanceRun(this.definition, log, options);
  }

  /**
   * Ends an unfinished run and undoes its completed steps, in the process that runs it: the signal of
   * its step fires, and once the step has settled the run is undone. Resolves to RUN_CANCELLED then;
   * to RUN_ENDED for a run that was over; to the run's own fault if it was being undone already; to
   * a Cancelling if that takes longer than a lease. `force` takes the run from its process and undoes
   * it here: the step at work is not undone (`uncertain`). Other arguments as for `resume`.
   */
  cancel(
    runId: string,
    reason: string,
    bus?: Bus<any>,
    intervention = BY_PROGRAM,
    { force = false }: ForceOptions = {},
  ): Promise<Cancelling | Fault<E | RuntimeFault>> {
    const options = { bus, intervention, force, by: hostedAxon(this.definition)?.host };
    return cancelRun(this.definition, runId, reason, options) as Promise<
      Cancelling | Fault<E | RuntimeFault>
    >;
  }
}

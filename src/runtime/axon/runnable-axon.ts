import type { Bus } from "#core/bus/bus.js";
import type { AnyKey } from "#core/bus/bus-key.js";
import type { Fault } from "#core/bus/outcome.js";
import type { RuntimeFault } from "#core/bus/runtime-fault.js";
import type { Schematic } from "#core/flow/schematic.js";
import type { AxonDefinition } from "../definition/axon-definition.js";
import { explain } from "../draw/explain.js";
import { type SchematicOptions, schematicOf } from "../draw/schematic-of.js";
import { BY_PROGRAM } from "../run/intervention.js";
import type { Executable, ExecuteArgs, RunResult } from "./axon-flow.js";
import { compileExecute, type Execute, executeFrom } from "./in-process.js";
import { cancelRun, resumeRun } from "./resume.js";

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

  /** Runs it. Answers at once when all steps do, else a promise. Its first call throws what mounting it would. */
  execute<A>(this: A & Executable<A>, ...args: ExecuteArgs<In, Needs>): RunResult<Out, E>;
  execute(input: unknown, bus?: Bus, signal?: AbortSignal): unknown {
    // An own property from here on: callers then reach the compiled function without a detour.
    this.execute = compileExecute(this.definition, bus) as typeof this.execute;
    return (this.execute as Execute)(input, bus, signal);
  }

  /**
   * Runs it from one node of its Schematic on, with that step's input: to go on where
   * a run was left. Throws AXON_NODE_UNKNOWN for a node inside a step.
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
   * Goes on with a run that was stopped, at its first step without a checkpoint. The Bus holds
   * what a run needs from outside, as for `execute`. Of two that resume one run at once, one
   * does: the other ends as RUN_TAKEN. Of a run that is over it answers the outcome. `intervention`
   * says by whom, for the audit log of the Axon.
   */
  resume(
    runId: string,
    bus?: Bus<any>,
    signal?: AbortSignal,
    intervention = BY_PROGRAM,
  ): Promise<Out | Fault<E | RuntimeFault>> {
    const options = { bus, signal, intervention };
    return resumeRun(this.definition, runId, options) as Promise<Out | Fault<E | RuntimeFault>>;
  }

  /**
   * Ends an unfinished run, also one that another process runs: that is refused at its next
   * checkpoint. Undoes what the run has completed, then answers RUN_CANCELLED; RUN_ENDED for a run
   * that is over. One that undoes already is resumed: its own fault. The other arguments are as for `resume`.
   */
  cancel(
    runId: string,
    reason: string,
    bus?: Bus<any>,
    intervention = BY_PROGRAM,
  ): Promise<Fault<E | RuntimeFault>> {
    const options = { bus, intervention };
    return cancelRun(this.definition, runId, reason, options) as Promise<Fault<E | RuntimeFault>>;
  }
}

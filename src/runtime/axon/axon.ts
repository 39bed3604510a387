import type { Static, TSchema } from "@sinclair/typebox";
import type { BusView } from "#core/bus/bus.js";
import type { AnyKey } from "#core/bus/bus-key.js";
import type { DeclaredResponse } from "#core/bus/declared-response.js";
import type { EventSink } from "#core/bus/event.js";
import type { LabelKey } from "#core/bus/label.js";
import type { Branch, Fault, Pass } from "#core/bus/outcome.js";
import type { BranchOf, ErrorOf, JumpOf, ValueOf } from "#core/bus/outcome-types.js";
import type { DataOf, StreamsAlone } from "#core/bus/reply.js";
import type { IamOptions, WrittenBy } from "#core/flow/iam-boundary.js";
import {
  type KeysNamed,
  type NamedBus,
  type NamedDeclarations,
  type NamedKeys,
  type NoKeys,
  withNamedKeys,
} from "#core/flow/named-keys.js";
import type { AnySignal, SignalKind } from "#core/flow/signal.js";
import {
  type AnyTransition,
  type Declarations,
  type Declares,
  type OffloadedTransition,
  requireKnownParts,
  type Transition,
} from "#core/flow/transition.js";
import type { IamError } from "#core/iam/iam-error.js";
import type { IamPolicy } from "#core/iam/iam-policy.js";
import type { IamVerifier } from "#core/iam/iam-verifier.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import type { AuditSink } from "#core/ports/audit-sink.js";
import { type AuditFailureMode, auditUse } from "#core/ports/audit-use.js";
import type { DeadLetterSink } from "#core/ports/dead-letter.js";
import type { RunEpoch, RunId, RunStore } from "#core/ports/run-store.js";
import type { AxonDefinition, Budget, OutputCheck, SubjectOf } from "../definition/axon-definition.js";
import {
  appendParallel,
  appendStep,
  appendWaiting,
  asTransition,
  attachBranch,
  compensateLast,
  compensation,
  emptyDefinition,
  limitJumps,
  placeLabel,
  requireTimeout,
  withBudget,
} from "../definition/axon-extension.js";
import type { DlqPolicy } from "../definition/dlq-policy.js";
import type { ExecutionMode, TokenIn } from "../definition/execution-mode.js";
import type { Flow, flow, InputSource } from "../definition/flow.js";
import { bounded } from "../definition/iam-definition.js";
import type { Merge, ParallelStrategy } from "../definition/parallel-types.js";
import { type PersistenceOptions, persistenceOf } from "../definition/persistence.js";
import { requireAxon, requireOffloaded, requireSink } from "../definition/required-step.js";
import type { RetriedCode, RetryPolicy } from "../definition/retry-policy.js";
import { type LabelSchemas, withRunLabels } from "../definition/run-label.js";
import type { CompensatedOptions, CompensationOptions, SagaPolicy, Undo } from "../definition/saga-policy.js";
import {
  continueStep,
  type GivenOptions,
  runWaitStep,
  signalStep,
  sleepStep,
  startStep,
} from "../definition/waiting-step.js";
import type {
  ErrorsOf,
  InOf,
  Label,
  LabelsOf,
  OpenId,
  OpenPayload,
  OutOf,
  OutputMisfit,
  ParallelErrors,
  ParallelResults,
  ParallelSteps,
  ReadsOf,
} from "./axon-flow.js";
import { RunnableAxon } from "./runnable-axon.js";
import type {
  AnyOf,
  ChildRun,
  SleepOptions,
  StartArgs,
  StartedAxon,
  StepNameOptions,
  TakeOptions,
  TimedOut,
  WaitOptions,
} from "./waiting-steps.js";

type KeyOfRun = typeof RunId | typeof RunEpoch;

/** Makes the error for a function given instead of declarations name a remedy. With `object` it would be about common properties. */
type NoFunction = object & {
  readonly [Symbol.hasInstance]?: "the function or the declarations behind it do not fit: write the declarations in front, and the error says why";
};

/** The declared responses with their literal statuses. */
interface Responding<Rs> {
  readonly responses?: Rs;
}

/**
 * A named pipeline of Transitions. Immutable: every call returns a new Axon.
 *
 * `In` and `Out` are its input and output, `E` the faults its steps declare, `Needs` the keys that
 * are read and not written in it, `Has` the keys written and not deleted, `Open` the branches
 * without an Axon, `Jumps` and `Labels` must fit, `Src` is the source of its checked input.
 */
export class Axon<
  In,
  Out,
  E,
  Needs extends AnyKey,
  Has extends AnyKey,
  Open,
  Jumps,
  Labels,
  Src extends InputSource,
> extends RunnableAxon<In, Out, E, Needs> {
  declare readonly [flow]: Flow<In, Out, E, Needs, Open, Src, Jumps, Labels>;

  private constructor(definition: AxonDefinition) {
    super(definition);
  }

  /** An Axon without steps; `input` is the schema its input is checked against. */
  static start<S extends TSchema>(
    name: string,
    input: S,
  ): Axon<Static<S>, Static<S>, never, never, never, never, never, never, "schema">;
  static start<In = void>(name: string): Axon<In, In, never, never, never, never, never, never, "extractor">;
  static start(name: string, input?: TSchema): unknown {
    return new Axon(emptyDefinition(name, input, Axon.start));
  }

  /** The same as {@link Axon.start}. */
  static new: typeof Axon.start = Axon.start;

  /** An Axon with strings as faults. */
  static simple<In = void>(
    name: string,
  ): Axon<In, In, string, never, never, never, never, never, "extractor"> {
    return new Axon(emptyDefinition(name, undefined, Axon.simple));
  }

  /** Appends a step. */
  then<
    R,
    Rd extends AnyKey = never,
    Wr extends AnyKey = never,
    Mr extends AnyKey = never,
    Mw extends AnyKey = never,
    const J extends string = never,
    const B extends string = never,
    Ev extends string = never,
    Dl extends AnyKey = never,
    const Rs extends readonly DeclaredResponse[] = [],
    const Lb extends string = never,
  >(
    step: Transition<Out, R, Rd, Wr, Mr, Mw, J, B, Ev, Dl, Lb> &
      Responding<Rs> &
      Declares<Awaited<R>, J, B, Ev, Rs>,
  ): Extended<In, Out, E, Needs, Has, Open, Jumps, Labels, Src, Awaited<R>, Rd | LabelKey<Lb>, Wr, Dl> {
    return new Axon(appendStep(this.definition, step as AnyTransition, this.then));
  }

  /** Appends a step that runs in a thread of the pool: see `workerTransition`. */
  offload<R, Rd extends AnyKey = never>(
    step: OffloadedTransition<Out, R, Rd>,
  ): Extended<In, Out, E, Needs, Has, Open, Jumps, Labels, Src, Awaited<R>, Rd, never, never> {
    const offloaded = requireOffloaded(step as AnyTransition, `offload() of Axon '${this.name}'`);
    return new Axon(appendStep(this.definition, offloaded, this.offload));
  }

  /** Appends a step that is retried after a fault, as the policy says. */
  thenWithRetry<
    R,
    Rd extends AnyKey = never,
    Wr extends AnyKey = never,
    Mr extends AnyKey = never,
    Mw extends AnyKey = never,
    const J extends string = never,
    const B extends string = never,
    Ev extends string = never,
    Dl extends AnyKey = never,
    const Rs extends readonly DeclaredResponse[] = [],
    const Lb extends string = never,
  >(
    step: Transition<Out, R, Rd, Wr, Mr, Mw, J, B, Ev, Dl, Lb> &
      Responding<Rs> &
      Declares<Awaited<R>, J, B, Ev, Rs>,
    policy: RetryPolicy<RetriedCode<Awaited<R>>>,
  ): Extended<In, Out, E, Needs, Has, Open, Jumps, Labels, Src, Awaited<R>, Rd | LabelKey<Lb>, Wr, Dl> {
    const policies = { retry: policy };
    return new Axon(appendStep(this.definition, step as AnyTransition, this.thenWithRetry, policies));
  }

  /**
   * Appends a step with a time limit of `timeoutMs` milliseconds. After it the step's signal fires,
   * and the run ends with a STEP_TIMEOUT fault. A synchronous step cannot be stopped.
   */
  thenWithTimeout<
    R,
    Rd extends AnyKey = never,
    Wr extends AnyKey = never,
    Mr extends AnyKey = never,
    Mw extends AnyKey = never,
    const J extends string = never,
    const B extends string = never,
    Ev extends string = never,
    Dl extends AnyKey = never,
    const Rs extends readonly DeclaredResponse[] = [],
    const Lb extends string = never,
  >(
    step: Transition<Out, R, Rd, Wr, Mr, Mw, J, B, Ev, Dl, Lb> &
      Responding<Rs> &
      Declares<Awaited<R>, J, B, Ev, Rs>,
    timeoutMs: number,
  ): Extended<In, Out, E, Needs, Has, Open, Jumps, Labels, Src, Awaited<R>, Rd | LabelKey<Lb>, Wr, Dl> {
    const policies = { timeoutMs: requireTimeout(this.definition, timeoutMs) };
    return new Axon(appendStep(this.definition, step as AnyTransition, this.thenWithTimeout, policies));
  }

  /**
   * Appends a step and its compensation. If the run ends with a fault, completed steps are undone,
   * the last first; the step that failed is not undone.
   */
  thenCompensated<
    R,
    Rd extends AnyKey = never,
    Wr extends AnyKey = never,
    Mr extends AnyKey = never,
    Mw extends AnyKey = never,
    const J extends string = never,
    const B extends string = never,
    Ev extends string = never,
    Dl extends AnyKey = never,
    URd extends AnyKey = never,
    const Rs extends readonly DeclaredResponse[] = [],
    const Lb extends string = never,
  >(
    step: Transition<Out, R, Rd, Wr, Mr, Mw, J, B, Ev, Dl, Lb> &
      Responding<Rs> &
      Declares<Awaited<R>, J, B, Ev, Rs>,
    undo: Undo<Out, ValueOf<Awaited<R>, Out>, URd>,
    options: CompensatedOptions = {},
  ): Extended<
    In,
    Out,
    E,
    Needs,
    Has,
    Open,
    Jumps,
    Labels,
    Src,
    Awaited<R>,
    Rd | LabelKey<Lb> | Exclude<URd, Wr>,
    Wr,
    Dl
  > {
    const transition = step as AnyTransition;
    const { retry, step: { timeoutMs, ...of } = {} } = options;
    const policies = {
      ...of,
      timeoutMs: timeoutMs === undefined ? undefined : requireTimeout(this.definition, timeoutMs),
      undo: compensation(undo as AnyTransition, transition.name, retry),
    };
    return new Axon(appendStep(this.definition, transition, this.thenCompensated, policies));
  }

  /**
   * Sets the compensation of the last step, if that is a subgraph or parallel steps. An Axon's type
   * does not hold the input of its last step, so `input` is `any`. For other steps see `thenCompensated`.
   */
  compensateWith<URd extends AnyKey = never>(
    undo: Undo<any, Out, URd>,
    options: CompensationOptions = {},
  ): Axon<In, Out, E, Needs | Exclude<URd, Has>, Has, Open, Jumps, Labels, Src> {
    return new Axon(compensateLast(this.definition, undo as AnyTransition, options.retry));
  }

  /** Appends an Axon as one step, drawn nested. Its labels and branches stay its own. */
  subgraph<SOut, SE, SNeeds extends AnyKey, SHas extends AnyKey>(
    axon: Axon<Out, SOut, SE, SNeeds, SHas, never, any, any, any>,
  ): Axon<In, SOut, E | SE, Needs | Exclude<SNeeds, Has>, Has | SHas, Open, Jumps, Labels, Src> {
    return new Axon(
      appendStep(
        this.definition,
        asTransition(requireAxon(`subgraph() of Axon '${this.name}'`, axon).definition),
        this.subgraph,
      ),
    );
  }

  /**
   * Appends steps that run in parallel over the same input, each with a copy of the Bus; `merge`
   * makes the next input from their answers. With "AllMustSucceed" the first fault ends the other
   * steps and the run; with "AnyCanFail" `merge` receives faults too.
   */
  parallel<const S extends readonly AnyTransition[], Strategy extends ParallelStrategy, R>(
    steps: S & ParallelSteps<S, Out>,
    strategy: Strategy,
    merge: (results: ParallelResults<S, Out, Strategy>, input: Out) => R,
    options: { readonly name?: string } = {},
  ): Axon<
    In,
    ValueOf<Awaited<R>, Out>,
    E | ErrorOf<Awaited<R>> | ParallelErrors<S, Strategy>,
    Needs | Exclude<ReadsOf<S[number]> | LabelsOf<S[number]>, Has>,
    Has,
    Open,
    Jumps,
    Labels,
    Src
  > {
    const body = { strategy, merge: merge as Merge };
    const name = options.name ?? "parallel";
    return new Axon(appendParallel(this.definition, name, steps, body, this.parallel));
  }

  /** This Axon as a step: for `thenWithRetry`, `thenWithTimeout`, `parallel`. */
  asTransition(): Transition<In, Out | Fault<E>, Needs, Has> {
    return asTransition(this.definition) as Transition<In, Out | Fault<E>, Needs, Has>;
  }

  /** Appends a function as a step, with optional declarations. */
  thenFn<
    R,
    Rd extends AnyKey = never,
    Wr extends AnyKey = never,
    Mr extends AnyKey = never,
    Mw extends AnyKey = never,
    const J extends string = never,
    const B extends string = never,
    Ev extends string = never,
    Dl extends AnyKey = never,
    U extends NamedKeys = NoKeys,
    S extends NamedKeys = NoKeys,
    M extends NamedKeys = NoKeys,
    const Rs extends readonly DeclaredResponse[] = [],
    const Lb extends string = never,
  >(
    name: string,
    fn: ((input: Out, bus: NamedBus<Rd, Wr, Mr, Mw, Dl, U, S, M, Lb>) => R) &
      Declares<Awaited<R>, J, B, Ev, Rs>,
    declarations?: Declarations<Rd, Wr, Mr, Mw, J, B, Ev, Dl, Rs, Lb> & NamedDeclarations<U, S, M>,
  ): Extended<
    In,
    Out,
    E,
    Needs,
    Has,
    Open,
    Jumps,
    Labels,
    Src,
    Awaited<R>,
    Rd | KeysNamed<U> | LabelKey<Lb>,
    Wr | KeysNamed<S>,
    Dl
  >;
  // Last: TypeScript prints the error of the last overload.
  /**
   * Appends a function as a step: `thenFn("find", { uses: { id: param("id") } }, (input, bus) => bus.id)`.
   */
  thenFn<
    R,
    Rd extends AnyKey = never,
    Wr extends AnyKey = never,
    Mr extends AnyKey = never,
    Mw extends AnyKey = never,
    const J extends string = never,
    const B extends string = never,
    Ev extends string = never,
    Dl extends AnyKey = never,
    U extends NamedKeys = NoKeys,
    S extends NamedKeys = NoKeys,
    M extends NamedKeys = NoKeys,
    const Rs extends readonly DeclaredResponse[] = [],
    const Lb extends string = never,
  >(
    name: string,
    declarations: Declarations<Rd, Wr, Mr, Mw, J, B, Ev, Dl, Rs, Lb> &
      NamedDeclarations<U, S, M> &
      NoFunction,
    fn: ((input: Out, bus: NamedBus<Rd, Wr, Mr, Mw, Dl, U, S, M, Lb>) => R) &
      Declares<Awaited<R>, J, B, Ev, Rs>,
  ): Extended<
    In,
    Out,
    E,
    Needs,
    Has,
    Open,
    Jumps,
    Labels,
    Src,
    Awaited<R>,
    Rd | KeysNamed<U> | LabelKey<Lb>,
    Wr | KeysNamed<S>,
    Dl
  >;
  thenFn(name: string, first: unknown, second: unknown): unknown {
    const [run, declarations] = typeof second === "function" ? [second, first] : [first, second];
    const step = { ...(declarations as object), name, run } as unknown as AnyTransition;
    requireKnownParts(step);
    return new Axon(appendStep(this.definition, withNamedKeys(step), this.thenFn));
  }

  /**
   * The run sleeps, as a row of its store: no process and no timer has it. For milliseconds, or until
   * the time that the function answers; a time that is over ends it at once. The value passes on.
   */
  sleep<Rd extends AnyKey = never>(
    name: string,
    until: number | ((value: Out, bus: BusView<Rd>) => Date),
    options: SleepOptions<Rd> = {},
  ): Extended<In, Out, E, Needs, Has, Open, Jumps, Labels, Src, Pass, Rd, never, never> {
    const step = sleepStep(this.definition, name, until, options);
    return new Axon(appendWaiting(this.definition, step, this.sleep));
  }

  /**
   * The run waits until a signal of this kind comes, or takes the oldest that has come before. The
   * next value is its payload, or what `take` makes of it.
   */
  waitFor<P, R = P, const Late extends string | Fault<unknown> = never, Rd extends AnyKey = never>(
    signal: SignalKind<string, P>,
    options: WaitOptions<Out, P, R, Late, Rd> = {},
  ): Extended<
    In,
    Out,
    E,
    Needs,
    Has,
    Open,
    Jumps,
    Labels,
    Src,
    Awaited<R> | TimedOut<Late, Out>,
    Rd,
    never,
    never
  > {
    const step = signalStep(this.definition, [signal], false, options as GivenOptions);
    return new Axon(appendWaiting(this.definition, step, this.waitFor));
  }

  /** The same for several kinds: the next value is `{ signal, payload }`, with the name of the kind. */
  waitForAny<
    const S extends readonly AnySignal[],
    R = AnyOf<S>,
    const Late extends string | Fault<unknown> = never,
    Rd extends AnyKey = never,
  >(
    signals: S,
    options: WaitOptions<Out, AnyOf<S>, R, Late, Rd> = {},
  ): Extended<
    In,
    Out,
    E,
    Needs,
    Has,
    Open,
    Jumps,
    Labels,
    Src,
    Awaited<R> | TimedOut<Late, Out>,
    Rd,
    never,
    never
  > {
    const step = signalStep(this.definition, signals, true, options as GivenOptions);
    return new Axon(appendWaiting(this.definition, step, this.waitForAny));
  }

  /**
   * Begins a run of another Axon, once, and goes on with the value. `input` makes its input; default:
   * the value. The other Axon stores its runs and is mounted in the same process. Later steps read
   * the id of the run under `childRun(axon)`.
   */
  startRun<A extends StartedAxon, Rd extends AnyKey = never>(
    axon: A,
    ...[options = {}]: StartArgs<Out, A, Rd>
  ): Extended<In, Out, E, Needs, Has, Open, Jumps, Labels, Src, Pass, Rd, ChildRun<A>, never> {
    const step = startStep(this.definition, axon, options as GivenOptions);
    return new Axon(appendWaiting(this.definition, step, this.startRun));
  }

  /**
   * The run waits for the end of the run that `startRun(axon)` has begun. The next value is its
   * output, or what `take` makes of it; its fault is the fault of this run.
   */
  awaitRun<A extends StartedAxon, R = OutOf<A>, Rd extends AnyKey = never>(
    axon: A,
    options: TakeOptions<Out, OutOf<A>, R, Rd> = {},
  ): Extended<
    In,
    Out,
    E,
    Needs,
    Has,
    Open,
    Jumps,
    Labels,
    Src,
    Awaited<R> | Fault<ErrorsOf<A>>,
    Rd | ChildRun<A>,
    never,
    never
  > {
    const step = runWaitStep(this.definition, axon, options as GivenOptions);
    return new Axon(appendWaiting(this.definition, step, this.awaitRun));
  }

  /**
   * The run goes on from its first step with the input that the function makes, in a new log: so that
   * a loop without end has a log that ends. Nothing follows in this Axon. In a branch or subgraph give
   * the type of the outermost Axon's input: `continueAs<Order>((value) => ...)`.
   */
  continueAs<Whole = In, Rd extends AnyKey = never>(
    input: (value: Out, bus: BusView<Rd>) => NoInfer<Whole>,
    options: StepNameOptions<Rd> = {},
  ): Extended<In, Out, E, Needs, Has, Open, Jumps, Labels, Src, never, Rd, never, never> {
    const step = continueStep(this.definition, input, options);
    return new Axon(appendWaiting(this.definition, step, this.continueAs));
  }

  /**
   * Attaches an Axon to the last step: if the step returns `branch(id, payload)`, the run enters that Axon
   * and rejoins here.
   */
  branch<Id extends OpenId<Open>, BOut, BE, BNeeds extends AnyKey>(
    id: Id,
    axon: Axon<OpenPayload<Open, Id>, BOut, BE, BNeeds, any, never, any, any, any>,
  ): Branched<In, Out, E, Needs, Has, Open, Jumps, Labels, Src, Id, BOut, BE, BNeeds> {
    const { definition } = requireAxon(`branch('${id}') of Axon '${this.name}'`, axon);
    return new Axon(attachBranch(this.definition, id, definition));
  }

  /** Names this place, so that a step may `jump` here. Unique in the Axon. */
  label<const L extends string>(
    name: L,
  ): Axon<In, Out, E, Needs, Has, Open, Jumps, Labels | Label<L, Out>, Src> {
    return new Axon(placeLabel(this.definition, name));
  }

  /** Checks the input before the first step; an invalid input is an INPUT_INVALID fault. */
  withInputSchema<S extends TSchema>(
    schema: [Static<S>] extends [In] ? S : "the schema allows what the first step does not take",
  ): Axon<In, Out, E, Needs, Has, Open, Jumps, Labels, "schema"> {
    return new Axon({ ...this.definition, input: schema as S });
  }

  /**
   * The output's schema, which the output is serialised by. `check: "validate"`, the default, checks
   * each output; "pass" does not. For a reply it applies to the body; pages, problems and streams are sent unchanged.
   */
  withOutputSchema<S extends TSchema>(
    schema: [DataOf<Out>] extends [Static<S>]
      ? StreamsAlone<Out> extends true
        ? "the last step answers a stream, which no schema describes: leave the output schema out"
        : S
      : OutputMisfit<DataOf<Out>, Static<S>>,
    options: { readonly check?: OutputCheck } = {},
  ): Axon<In, Out, E, Needs, Has, Open, Jumps, Labels, Src> {
    requireKnownOptions(`withOutputSchema of Axon '${this.name}'`, options, ["check"]);
    return new Axon({ ...this.definition, output: schema as S, outputCheck: options.check });
  }

  /** Also sends the events of this Axon's steps to the sink. */
  withEventSink(sink: EventSink): Axon<In, Out, E, Needs, Has, Open, Jumps, Labels, Src> {
    const sinks = [...this.definition.sinks, requireSink(`withEventSink of Axon '${this.name}'`, sink)];
    return new Axon({ ...this.definition, sinks });
  }

  /** Which steps are undone when a run ends with a fault. Default: all completed steps with a compensation. */
  withSagaPolicy(policy: SagaPolicy): Axon<In, Out, E, Needs, Has, Open, Jumps, Labels, Src> {
    return new Axon({ ...this.definition, saga: policy });
  }

  /** The sink for dead letters: runs that end with a fault, and compensations that fail. Such runs are traced. */
  withDlqSink(sink: DeadLetterSink): Axon<In, Out, E, Needs, Has, Open, Jumps, Labels, Src> {
    const dlqSink = requireSink(`withDlqSink of Axon '${this.name}'`, sink);
    return new Axon({ ...this.definition, dlqSink });
  }

  /** Which faults are sent to the sink. Default: every fault that ends a run, at once. */
  withDlqPolicy(policy: DlqPolicy): Axon<In, Out, E, Needs, Has, Open, Jumps, Labels, Src> {
    return new Axon({ ...this.definition, dlqPolicy: policy });
  }

  /**
   * The audit log of its audited steps that have no sink of their own, and of interventions: stored
   * runs that are resumed or cancelled by hand or move to another version, and dead letters that are
   * re-driven. `onFailure` applies to interventions. Default "log".
   */
  withAuditSink(
    sink: AuditSink,
    options: { readonly onFailure?: AuditFailureMode } = {},
  ): Axon<In, Out, E, Needs, Has, Open, Jumps, Labels, Src> {
    const audit = auditUse(`withAuditSink of Axon '${this.name}'`, sink, options);
    return new Axon({ ...this.definition, audit });
  }

  /**
   * How its runs exclude each other. Default: `ExecutionMode.local()`, runs are independent. With
   * `ExecutionMode.singleton(...)` one run holds the lock, from the check of its input to its end,
   * and steps can read `FencingToken`. Inside another Axon it keeps its mode.
   */
  withExecutionMode<M extends ExecutionMode>(
    mode: M,
  ): Axon<In, Out, E, Exclude<Needs, TokenIn<M>>, Has | TokenIn<M>, Open, Jumps, Labels, Src> {
    return new Axon({ ...this.definition, mode });
  }

  /**
   * Verifies the caller by the policy, before the Axon's locks, input check and steps. Steps read the
   * caller under {@link IamIdentity}; a refused caller gets an {@link IamError} fault. Inside another
   * Axon the check runs at the Axon's place in the line. A run that begins in the middle
   * (`executeFrom`, `resume`) is not verified again. Throws CONFIG_INVALID, also for a second call.
   */
  withIam<P extends IamPolicy>(
    policy: P,
    verifier: IamVerifier,
    options?: IamOptions,
  ): Axon<In, Out, E | IamError, Exclude<Needs, WrittenBy<P>>, Has | WrittenBy<P>, Open, Jumps, Labels, Src> {
    return new Axon(bounded(this.definition, policy, verifier, options, this.withIam));
  }

  /**
   * Stores its runs, so that a stopped run resumes where it was: see {@link Axon.resume}. Values that
   * steps return and write have to be plain data, else the run ends as VALUE_NOT_DURABLE. Steps can
   * read {@link RunId} and {@link RunEpoch}. No effect inside another Axon: the outermost has the log.
   */
  withPersistenceStore(
    store: RunStore,
    options: PersistenceOptions = {},
  ): Axon<In, Out, E, Exclude<Needs, KeyOfRun>, Has | KeyOfRun, Open, Jumps, Labels, Src> {
    return new Axon({ ...this.definition, persistence: persistenceOf(this.name, store, options) });
  }

  /**
   * Names the person a run is about, from its input. The run's log and dead letters carry a hash of
   * the name, by which they are found and erased. Default, and for undefined: the verified identity
   * on the Bus. No effect inside another Axon.
   */
  withSubject<A>(
    this: A,
    subjectOf: SubjectOf<InOf<A>>,
  ): Axon<In, Out, E, Needs, Has, Open, Jumps, Labels, Src>;
  withSubject(subjectOf: SubjectOf<never>): unknown {
    if (typeof subjectOf !== "function")
      throw invalidOption(`withSubject of Axon '${this.name}'`, "it takes a function of the input");
    return new Axon({ ...this.definition, subject: subjectOf });
  }

  /**
   * Labels by which people find its runs: `withLabels({ order: Type.String({ maxLength: 100 }) })`. A
   * step that declares `labels: ["order"]` sets one by `bus.label("order", id)`. Lists, traces, dead
   * letters and stores keep them as plain text: at most 8, of at most 100 characters, none marked
   * `Sensitive`. Inside another Axon they count for the whole run. Throws LABEL_SCHEMA_INVALID.
   */
  withLabels<const L extends LabelSchemas>(
    labels: L,
  ): Axon<
    In,
    Out,
    E,
    Exclude<Needs, LabelKey<keyof L & string>>,
    Has | LabelKey<keyof L & string>,
    Open,
    Jumps,
    Labels,
    Src
  > {
    return new Axon({ ...this.definition, runLabels: withRunLabels(this.definition, labels) });
  }

  /** Jumps allowed in one run. Default 1000; one more is a JUMP_LIMIT fault. */
  withMaxJumps(maxJumps: number): Axon<In, Out, E, Needs, Has, Open, Jumps, Labels, Src> {
    return new Axon(limitJumps(this.definition, maxJumps));
  }

  /**
   * Upper bounds for a run. `framework bench` fails above them, and the Inspector alerts if the p99
   * is above its bound. Not checked during a run; no effect inside another Axon.
   */
  budget(budget: Budget): Axon<In, Out, E, Needs, Has, Open, Jumps, Labels, Src> {
    return new Axon(withBudget(this.definition, budget));
  }

  /** The Schematic's `version`. Default "1.0.0". */
  withVersion(version: string): Axon<In, Out, E, Needs, Has, Open, Jumps, Labels, Src> {
    return new Axon({ ...this.definition, version });
  }
}

/** An Axon with a step appended that returns R, reads Rd, writes Wr and may delete Dl. */
export type Extended<
  In,
  Out,
  E,
  Needs extends AnyKey,
  Has extends AnyKey,
  Open,
  Jumps,
  Labels,
  Src extends InputSource,
  R,
  Rd extends AnyKey,
  Wr extends AnyKey,
  Dl extends AnyKey,
> = Axon<
  In,
  ValueOf<R, Out>,
  E | ErrorOf<R>,
  Needs | Exclude<Rd, Has>,
  Exclude<Has, Dl> | Wr,
  Open | BranchOf<R>,
  Jumps | JumpOf<R>,
  Labels,
  Src
>;

/** An Axon with a body for branch Id that returns BOut, faults with BE and reads BNeeds. */
export type Branched<
  In,
  Out,
  E,
  Needs extends AnyKey,
  Has extends AnyKey,
  Open,
  Jumps,
  Labels,
  Src extends InputSource,
  Id,
  BOut,
  BE,
  BNeeds extends AnyKey,
> = Axon<
  In,
  Out | BOut,
  E | BE,
  Needs | Exclude<BNeeds, Has>,
  Has,
  Exclude<Open, Branch<Id & string, any>>,
  Jumps,
  Labels,
  Src
>;

// Lays an Axon out as instructions: its own line first, with each subgraph in its place. Then
// the bodies of branches, which lead back, and the parts that steps run themselves, which end at
// END.

import type { AnyKey } from "#core/bus/bus-key.js";
import type { Clock } from "#core/clock.js";
import { FrameworkError } from "#core/errors.js";
import { decidingGuard } from "#core/flow/guard.js";
import type { AnyLayer } from "#core/flow/layer.js";
import type { AnyTransition } from "#core/flow/transition.js";
import { FencingToken } from "#core/ports/lock.js";
import type { WatchedNode } from "#core/timeline/recorder.js";
import { type InputStep, inputCheck, inTurn, outputCheck, unchecked } from "../check/schema-checks.js";
import { branchBody, labelIndex } from "../check/soundness.js";
import { KEYS_OF_RUN, keysDeclaredBy, keysOf, keysOfStep, readsOfUndo } from "../check/used-keys.js";
import type { AxonDefinition, StepDefinition } from "../definition/axon-definition.js";
import type { LetterBox } from "../definition/dlq-policy.js";
import { leadingGuards } from "../definition/mounted.js";
import type { Compensation } from "../definition/saga-policy.js";
import { decided } from "../definition/surroundings.js";
import type { Continuing, WaitDefinition } from "../definition/wait.js";
import { subgraphStep } from "../execute/part.js";
import {
  type Draft,
  draft,
  END,
  type Instruction,
  isLast as isLastOf,
  mark,
  nothing,
  senders,
} from "../run/instruction.js";
import type { Part } from "../run/instruction-shape.js";
import { axonId, branchPath, egressId, guardId, iamId, ingressId, layerId, stepId } from "../run/node-id.js";
import type { ProgramPort } from "../run/program-port.js";
import type { RunBus } from "../run/run-state.js";
import { subjectStep } from "../run/subject.js";
import type { UndoStep } from "../run/undoing.js";
import { ownStep } from "../steps/audit-step.js";
import {
  type CheckpointOptions,
  checkpointStep,
  isAddress,
  KeptKeys,
  type KeptPlace,
  type UnkeptKey,
} from "../steps/checkpoint-step.js";
import { effectStep } from "../steps/effect-step.js";
import { lockStep } from "../steps/held-lock.js";
import { layerStep } from "../steps/layer-step.js";
import { parallelStep } from "../steps/parallel-step.js";
import { startStep } from "../steps/start-step.js";
import { undoOf, withPolicies } from "../steps/step-policies.js";
import { continueStep, waitStep } from "../steps/wait-step.js";
import { betweenNodes, entering, leaving, providing, tracedStep } from "../trace/traced-step.js";

export interface FlattenOptions {
  readonly production: boolean;
  readonly generate: boolean;
  readonly clock: Clock;
  /** True if the outermost Axon's input was already checked against the same schema. */
  readonly inputChecked: boolean;
  readonly awaited: ReadonlyMap<AnyKey, Instruction["step"]>;
  /** Makes the outermost Axon's input, after its guards. Undefined if the run is given its input. */
  readonly input?: Instruction["step"] | undefined;
  readonly around?: readonly AnyLayer[] | undefined;
  /** True if each node reports to the run's trace when it is entered and left. */
  readonly traced: boolean;
  /** Undefined if runs are not stored. */
  readonly checkpoints: CheckpointOptions | undefined;
  /** True if the step that makes the input may jump to any node of the line behind it, by the node's id. Default false. */
  readonly entersLine?: boolean | undefined;
  readonly program: ProgramPort;
}

type Laid = "nodes" | "sinks" | "entries" | "compensations" | "lock" | "locks" | "unkept";

export interface Flat extends Readonly<Pick<Layout, Laid>> {
  readonly code: readonly Instruction[];
  /** Keys written in the Axon that a run from this instruction on uses; empty without checkpoints or `entersLine`. */
  readonly keptAt: (at: number) => readonly AnyKey[];
  /** Number of instructions in the main line: they come first. */
  readonly length: number;
}

/** Throws if the Axon cannot run: an open branch, a jump to an unknown label, a schema that does not compile. */
export function flatten(axon: AxonDefinition, options: FlattenOptions): Flat {
  const layout = new Layout(options, axon);
  const { length } = layout.line(END, () => layout.outermost(decided(axon), axonId(axon.name)));
  layout.finish();
  const { code, nodes, sinks, compensations, entries, lock, locks, unkept } = layout;
  const keptAt = (at: number): readonly AnyKey[] => layout.kept?.keptAt(code, at) ?? [];
  return { code, length, nodes, sinks, compensations, entries, lock, locks, unkept, keptAt };
}

/** Position of a place in a line; the end of the line maps to where it continues. */
type PlaceOf = (at: number) => number;

interface Line {
  readonly entry: number;
  readonly length: number;
}

class Layout {
  readonly code: Draft[] = [];
  /** The counted nodes, in the order of their numbers: the same for every variant. */
  readonly nodes: WatchedNode[] = [];
  /** By node: the sink of its dead letters, and its compensation. */
  readonly sinks = new Map<string, LetterBox>();
  readonly compensations = new Map<string, UndoStep<RunBus>>();
  /** Takes the lock of the Axon itself; it stands in the line too. */
  lock: Instruction["step"] | undefined;
  /** True if any Axon in it takes a lock. */
  locks = false;
  readonly #options: FlattenOptions;
  readonly #outer: AxonDefinition;
  /** Work that has to wait until its line is complete. */
  #afterLine: ((placeOf: PlaceOf) => void)[] = [];
  /** The Axon's own line, if it is a part because layers stand around it. */
  #mainPart: Part | null = null;
  #part: Part | null = null;
  /** Lines that others lead to: laid out after those. */
  readonly #pending: (() => void)[] = [];

  readonly kept: KeptKeys | undefined;
  /** The nodes of the main line, also if layers make it a part. */
  readonly #line = new Map<string, number>();
  #inputAt = END;

  constructor(options: FlattenOptions, axon: AxonDefinition) {
    this.#options = options;
    this.#outer = axon;
    if (options.checkpoints !== undefined || options.entersLine === true) this.kept = new KeptKeys(axon);
  }

  get unkept(): readonly UnkeptKey[] {
    return this.kept?.unkept ?? [];
  }

  /** By node: the instruction at which a run can begin. */
  get entries(): ReadonlyMap<string, number> {
    return this.#mainPart === null ? this.#line : NO_ENTRIES;
  }

  finish(): void {
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) next();
    const input = this.#options.entersLine === true ? this.code[this.#inputAt] : undefined;
    if (input === undefined) return;
    for (const [node, at] of this.#line) if (at > this.#inputAt) input.jumps.set(node, at);
  }

  /** Lays out a line with `place`; the line continues at `rejoin`. */
  line(rejoin: number, place: () => void): Line {
    const begin = this.code.length;
    place();
    const end = this.code.length;
    for (let at = begin; at < end; at += 1) (this.code[at] as Draft).next = at + 1 < end ? at + 1 : rejoin;
    const whole = this.#afterLine;
    this.#afterLine = [];
    const placeOf: PlaceOf = (at) => (at < end ? at : rejoin);
    for (const then of whole) then(placeOf);
    return { entry: placeOf(begin), length: end - begin };
  }

  /** Lays out everything: the surrounding steps, one layer inside another, then the Axon. */
  outermost(axon: AxonDefinition, path: string): void {
    const { around = [], input, inputChecked } = this.#options;
    const layers = [
      ...around.map((layer) => ({ layer, node: "" })),
      ...axon.layers.map((defined) => ({ layer: defined.layer, node: layerId(path, defined) })),
    ];
    const innermost = (): void => {
      this.#mainPart = this.#part;
      this.axon(axon, path, { read: input, checked: inputChecked });
    };
    const place = layers.reduceRight<() => void>(
      (inner, { layer, node }) =>
        () =>
          this.#layer(layer, node, inner),
      innermost,
    );
    place();
  }

  #layer(layer: AnyLayer, node: string, inner: () => void): void {
    this.#provide(keysDeclaredBy(layer), node);
    const { production, program } = this.#options;
    const parts: Part[] = [];
    const part = this.#newPart(layer.name, parts, inner);
    const { reads = [], writes = [], deletes = [] } = layer;
    const declared = { ...nothing, reads, writes, deletes, parts, isSubgraph: true, isLayer: true };
    const step = layerStep({ program, part, layer, checks: node !== "" && !production });
    part.owner = this.#push(draft(layer.name, node, step, declared));
  }

  axon(axon: AxonDefinition, path: string, input: InputStep): void {
    for (const guard of axon.guards) this.#step(axon, guard, guardId(path, guard));
    if (axon.iam !== undefined) this.#boundary(axon, axon.iam.step, iamId(path), input === unchecked);
    const leading = leadingGuards(axon);
    const starts: number[] = [];
    if (leading === 0) this.#input(axon, path, input);
    const placed = axon.steps.map((step, i) => {
      starts.push(this.code.length);
      // The steps in front decide whether a run begins.
      const isJumpedTo = [...axon.labels.values()].includes(i);
      if (input === unchecked || i >= leading) this.#checkpoint(step, stepId(path, step), isJumpedTo);
      const at = this.#step(axon, step, stepId(path, step));
      if (i + 1 === leading) this.#input(axon, path, input);
      return { step, at };
    });
    starts.push(this.code.length);
    const output = outputCheck(axon, this.#options);
    if (output !== undefined) {
      const checks = { ...nothing, isCheck: true };
      this.#push(draft(`${axon.name} output`, egressId(path), output, checks));
      this.#keepsLetters(axon, egressId(path));
    }
    const isInLine = this.#part === this.#mainPart;
    this.#afterLine.push((placeOf) => {
      const places = starts.map(placeOf);
      if (isInLine) this.#enterAt(placed, places, path);
      for (const { step, at } of placed) this.#route(axon, step, at, path, places);
    });
  }

  /** `isInside` if a run has begun: it may end while it is verified, and continues there. */
  #boundary(axon: AxonDefinition, step: StepDefinition, id: string, isInside: boolean): void {
    const at = this.code.length;
    if (isInside) this.#checkpoint(step, id);
    if (isInside && this.#part === this.#mainPart)
      this.#afterLine.push((placeOf) => this.#line.set(id, placeOf(at)));
    this.#step(axon, step, id);
  }

  #input(axon: AxonDefinition, path: string, input: InputStep): void {
    const { read, checked } = input;
    const check =
      axon.input === undefined || checked ? undefined : inputCheck(axon, axon.input, this.#options);
    const step = read === undefined ? check : check === undefined ? read : inTurn(read, check);
    if (step !== undefined) {
      const at = this.#push(draft(`${axon.name} input`, ingressId(path), step));
      if (read !== undefined) this.#inputAt = at;
    }
    if (axon.subject !== undefined && input !== unchecked)
      this.#push(draft(`${axon.name} subject`, "", subjectStep(axon.subject)));
    this.#takesLock(axon, ingressId(path));
  }

  /** An inner Axon is its own part: the end of the part releases the lock. */
  #takesLock({ name, mode }: AxonDefinition, node: string): void {
    if (mode.kind === "local") return;
    const { program, clock } = this.#options;
    const step = lockStep(program, name, mode, clock, node);
    this.locks = true;
    if (this.#part === null) this.lock = step;
    this.#push(draft(`${name} lock`, "", step, { ...nothing, writes: [FencingToken] }));
  }

  /** Before each step of the line. The parts of a step complete with it. */
  #checkpoint(step: StepDefinition, id: string, isJumpedTo = false): void {
    const { checkpoints } = this.#options;
    if (checkpoints === undefined || this.#part !== this.#mainPart) return;
    // A subgraph in the line has one before each of its own steps; what waits writes its own.
    if (standsInLine(step)) return;
    this.#provide(this.kept?.ofRequest ?? [], id);
    // What a wait itself reads, it reads when the run is woken.
    this.kept?.checkpointed(step, isJumpedTo || step.body.kind === "wait");
    if (step.body.kind === "wait") return;
    const run = checkpointStep(checkpoints, this.#keptPlace(id, this.code.length));
    this.#push(draft(`${step.transition.name} checkpoint`, "", run, { ...nothing, writes: KEYS_OF_RUN }));
  }

  /** `at` may be known later. */
  #keptPlace(node: string, at: number | (() => number)): KeptPlace {
    let kept: readonly AnyKey[] | undefined;
    const keptAt = (): readonly AnyKey[] => {
      kept ??= this.kept?.keptAt(this.code, typeof at === "number" ? at : at()) ?? [];
      return kept;
    };
    return { node, keptAt };
  }

  #wait(wait: WaitDefinition, name: string, id: string): Instruction["step"] {
    const { checkpoints } = this.#options;
    if (checkpoints === undefined)
      throw new FrameworkError(
        "AXON_STEP_INVALID",
        `Step '${name}' of Axon '${this.#outer.name}' waits, and no log keeps the run: call withPersistenceStore(Stores.mounted)`,
      );
    const at = this.code.length;
    if (wait.kind !== "continue")
      return waitStep(wait, { name, checkpoints, place: this.#keptPlace(id, at) });
    const { name: outer, guards, iam, steps } = this.#outer;
    const leading = leadingGuards(this.#outer);
    const first = stepId(axonId(outer), steps[leading] as StepDefinition);
    const place = this.#keptPlace(first, () => this.#line.get(first) ?? 0);
    // What stands in front does not run again: it had the request.
    const front = [...guards, ...(iam === undefined ? [] : [iam.step]), ...steps.slice(0, leading)];
    const written = new Set<AnyKey>(front.flatMap(({ transition }) => writtenBy(transition)));
    const isCarried = (key: AnyKey): boolean => isAddress(key) || written.has(key);
    const carried = { node: first, keptAt: () => place.keptAt().filter(isCarried) };
    return continueStep(this.#newInput(wait.input), { checkpoints, place: carried });
  }

  /** Makes an input of the outermost Axon, and checks it. */
  #newInput(make: Continuing["input"]): Instruction["step"] {
    const made: Instruction["step"] = { run: (value, bus) => make(value as never, bus as never) };
    const { input } = this.#outer;
    return input === undefined ? made : inTurn(made, inputCheck(this.#outer, input, this.#options));
  }

  /** The entries for a run: each step, and the Axon itself. */
  #enterAt(placed: readonly { step: StepDefinition }[], places: readonly number[], path: string): void {
    this.#line.set(ingressId(path), places[0] as number);
    for (const [i, { step }] of placed.entries()) this.#line.set(stepId(path, step), places[i] as number);
  }

  #keepsLetters({ dlqSink, dlqPolicy }: AxonDefinition, node: string): void {
    if (dlqSink !== undefined && dlqPolicy?.kind !== "drop")
      this.sinks.set(node, { sink: dlqSink, policy: dlqPolicy });
  }

  /** Connects the outcomes of a step to their targets, once its line is complete. */
  #route(
    axon: AxonDefinition,
    step: StepDefinition,
    at: number,
    path: string,
    places: readonly number[],
  ): void {
    const instruction = this.code[at];
    if (instruction === undefined) return;
    for (const label of step.transition.jumps ?? [])
      instruction.jumps.set(label, places[labelIndex(axon, step, label)] as number);
    for (const id of step.transition.branches ?? []) {
      const body = branchBody(axon, step, id);
      const from = branchPath(stepId(path, step), id);
      this.#later(instruction.part, () => {
        const { entry } = this.line(instruction.next, () => this.#branch(body, from));
        instruction.branches.set(id, entry);
      });
    }
  }

  #branch(body: AxonDefinition, path: string): void {
    if (body.mode.kind === "local") {
      this.axon(body, path, unchecked);
      return;
    }
    const parts: Part[] = [];
    const part = this.#newPart(body.name, parts, () => this.axon(body, path, unchecked));
    const declared = { ...nothing, parts, isSubgraph: true };
    part.owner = this.#push(draft(body.name, "", subgraphStep(this.#options.program, part), declared));
    this.kept?.usedAt(part.owner, keysOf(body));
  }

  /** Lays a step out; returns its position. A subgraph without policies stands in the line itself. */
  #step(axon: AxonDefinition, step: StepDefinition, id: string): number {
    const { transition } = step;
    if (step.body.kind === "subgraph" && standsInLine(step)) {
      const at = this.code.length;
      const { traced } = this.#options;
      if (traced) this.#push(mark(transition.name, entering(id)));
      this.axon(step.body.axon, id, unchecked);
      if (traced) this.#push(mark(transition.name, leaving(id)));
      return at;
    }
    // Once for all parts: parallel parts must not each make the value.
    this.#provide(keysOfStep({ ...step, branches: new Map() }), id);
    const parts: Part[] = [];
    // Called when the run has begun: the next instructions are known by then.
    const isLast = (): boolean => isLastOf(this.code, at);
    const undo = step.undo && this.#undo(step.undo, id, axon);
    const body = this.#body(axon, step, id, parts);
    const limited = withPolicies(step, id, body, undo, isLast, this.#options);
    const run = this.#recorded(transition, id, limited);
    const declared = {
      reads: [...(transition.reads ?? []), ...readsOfUndo(step)],
      writes: step.body.kind === "wait" ? KEYS_OF_RUN : (transition.writes ?? []),
      deletes: transition.deletes ?? [],
      undoReads: step.undo?.transition.reads ?? [],
      isRetried: step.retry !== undefined,
      emits: new Set((transition.emits ?? []).map((kind) => kind.name)),
      sinks: axon.sinks,
      parts,
      isSubgraph: step.body.kind === "subgraph",
      isLayer: false,
      isSender: senders.has(transition),
      isCheck: false,
    };
    const at: number = this.#push(draft(transition.name, id, run, declared));
    // A guard's refusal concerns the caller only: it is not work to redrive.
    if (transition.kind !== "guard") this.#keepsLetters(axon, id);
    this.kept?.usedAt(at, keysOfStep({ ...step, branches: new Map() }));
    for (const part of parts) part.owner = at;
    return at;
  }

  /** An effect in the line needs no record. */
  #recorded(transition: AnyTransition, id: string, step: Instruction["step"]): Instruction["step"] {
    const persistence = this.#options.checkpoints?.persistence;
    const isKept = persistence !== undefined && persistence.checkpoint !== "none";
    if (transition.effect !== true || !isKept || this.#part === this.#mainPart) return step;
    return effectStep(transition, id, step, persistence.maxValueChars);
  }

  /** Makes the values that node `id` needs and no step writes. */
  #provide(keys: Iterable<AnyKey>, id: string): void {
    for (const key of keys) {
      const make = this.#options.awaited.get(key);
      if (make === undefined) continue;
      const made = this.#options.traced ? providing(make, id) : make;
      this.#push(draft(`provide '${key.name}'`, "", made));
    }
  }

  #body(
    axon: AxonDefinition,
    { body, transition }: StepDefinition,
    id: string,
    parts: Part[],
  ): Instruction["step"] {
    const { program } = this.#options;
    switch (body.kind) {
      case "function": {
        const step = transition.kind === "guard" ? decidingGuard(transition) : transition;
        return ownStep(step, id, axon.audit, this.#options);
      }
      case "wait":
        return this.#wait(body.wait, transition.name, id);
      case "start":
        return startStep(body.start, id, this.#options.checkpoints?.owner);
      case "subgraph": {
        const part = this.#newPart(transition.name, parts, () => this.axon(body.axon, id, unchecked));
        return subgraphStep(program, part);
      }
      case "parallel": {
        for (const inner of body.steps)
          this.#newPart(inner.transition.name, parts, () => this.#step(axon, inner, stepId(id, inner)));
        return parallelStep(program, transition.name, parts, body.strategy, body.merge);
      }
    }
  }

  #newPart(name: string, parts: Part[], place: () => void): Part {
    const part: Part = { name, owner: END, entry: END };
    parts.push(part);
    this.#later(part, () => {
      part.entry = this.line(END, place).entry;
    });
    return part;
  }

  #later(part: Part | null, place: () => void): void {
    this.#pending.push(() => {
      this.#part = part;
      place();
    });
  }

  #push(instruction: Draft): number {
    const { name, node, step } = instruction;
    const number = node === "" ? -1 : this.nodes.push({ id: node, label: name }) - 1;
    const placed = { ...instruction, untold: step, number, part: this.#part };
    const { traced } = this.#options;
    // Marks take no time: the node inside begins with the subgraph.
    const run =
      !traced || instruction.isMark ? step : number < 0 ? betweenNodes(step) : tracedStep(step, placed);
    return this.code.push({ ...placed, step: run }) - 1;
  }

  #undo(compensation: Compensation, id: string, { audit }: AxonDefinition): UndoStep<RunBus> {
    const { reads = [], mayRead = [] } = compensation.transition;
    const kept = this.kept?.usedToUndo([...reads, ...mayRead]) ?? [];
    const undo = { ...undoOf(compensation, id, audit, this.#options), kept };
    this.compensations.set(id, undo);
    return undo;
  }
}

const writtenBy = ({ writes = [], mayWrite = [] }: AnyTransition): readonly AnyKey[] => [
  ...writes,
  ...mayWrite,
];

const NO_ENTRIES: ReadonlyMap<string, number> = new Map();

/** True if a step is an Axon and its own steps stand in the line around it. */
export const standsInLine = ({ body, retry, timeoutMs, undo }: StepDefinition): boolean =>
  body.kind === "subgraph" &&
  body.axon.mode.kind === "local" &&
  retry === undefined &&
  timeoutMs === undefined &&
  undo === undefined;

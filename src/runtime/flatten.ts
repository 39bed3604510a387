// Lays an Axon out as instructions: its own line first, each subgraph in its place,
// then the bodies of branches, which lead back, and what steps run by themselves,
// which ends at END.

import type { AnyKey } from "#core/bus-key.js";
import type { Clock } from "#core/clock.js";
import type { DeadLetterSink } from "#core/dead-letter.js";
import type { WatchedNode } from "#core/recorder.js";
import type { AxonDefinition, StepDefinition } from "./axon-definition.js";
import { checkedStep } from "./checked-step.js";
import { END, type Instruction } from "./instruction.js";
import { axonId, branchPath, egressId, ingressId, stepId } from "./node-id.js";
import { parallelStep } from "./parallel-step.js";
import type { Part } from "./part.js";
import type { Program } from "./program.js";
import { retryStep } from "./retry-step.js";
import { compensatedStep, type Undo } from "./saga.js";
import type { Compensation } from "./saga-policy.js";
import { inputCheck, outputCheck } from "./schema-checks.js";
import { branchBody, labelIndex } from "./soundness.js";
import { subgraphStep } from "./subgraph-step.js";
import { decided } from "./surroundings.js";
import { timeoutStep } from "./timeout-step.js";
import { entering, leaving, providing, tracedStep } from "./traced-step.js";
import { keysOfStep } from "./used-keys.js";

export interface FlattenOptions {
  readonly production: boolean;
  readonly generate: boolean;
  readonly clock: Clock;
  /** The outermost Axon's input was checked before, against the same schema. */
  readonly inputChecked: boolean;
  /** Makes a value that steps read, where making it may take time: runs before each step that declares the key. */
  readonly awaited: ReadonlyMap<AnyKey, Instruction["step"]>;
  /** Whether each node tells the run's trace when it is entered and left. */
  readonly traced: boolean;
  /** Runs the parts of steps. */
  readonly program: Program;
}

export interface Flat {
  readonly code: readonly Instruction[];
  /** How many instructions the main line has: they come first. */
  readonly length: number;
  /** What is counted, in the order of its numbers: the same for every variant. */
  readonly nodes: readonly WatchedNode[];
  /** By node: where the dead letters of its step go. */
  readonly sinks: ReadonlyMap<string, DeadLetterSink>;
  /** By node: what undoes it. */
  readonly compensations: ReadonlyMap<string, Undo>;
  /** By node: the instruction where a run can begin. Nodes inside a step have none. */
  readonly entries: ReadonlyMap<string, number>;
}

interface Draft extends Instruction {
  next: number;
  readonly jumps: Map<string, number>;
  readonly branches: Map<string, number>;
}

/** Throws where the Axon could not run: an open branch, a jump to nothing, a schema that does not compile. */
export function flatten(axon: AxonDefinition, options: FlattenOptions): Flat {
  const layout = new Layout(options);
  const { length } = layout.line(END, () =>
    layout.axon(decided(axon), axonId(axon.name), options.inputChecked),
  );
  layout.finish();
  const { code, nodes, sinks, compensations, entries } = layout;
  return { code, length, nodes, sinks, compensations, entries };
}

/** How long one try of a compensation may take, where the saga's policy says nothing. */
const MAX_UNDO_MS = 30_000;

/** A place in a line; its end is where the line goes on. */
type PlaceOf = (at: number) => number;

/** A row of instructions, each leading to the next, the last to where the row goes on. */
interface Line {
  readonly entry: number;
  readonly length: number;
}

class Layout {
  readonly code: Draft[] = [];
  readonly nodes: WatchedNode[] = [];
  readonly sinks = new Map<string, DeadLetterSink>();
  readonly entries = new Map<string, number>();
  readonly compensations = new Map<string, Undo>();
  readonly #options: FlattenOptions;
  /** What has to wait until the line is whole that it belongs to. */
  #afterLine: ((placeOf: PlaceOf) => void)[] = [];
  /** The part that is being laid out. */
  #part: Part | null = null;
  /** Lines that are reached from others: laid out once those are. */
  readonly #pending: (() => void)[] = [];

  constructor(options: FlattenOptions) {
    this.#options = options;
  }

  finish(): void {
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) next();
  }

  /** What `place` lays out becomes a line that goes on at `rejoin`. */
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

  /** Lays an Axon out in the line that is being made. */
  axon(axon: AxonDefinition, path: string, inputChecked: boolean): void {
    if (axon.input !== undefined && !inputChecked)
      this.#push(draft(`${axon.name} input`, ingressId(path), inputCheck(axon, axon.input, this.#options)));
    const starts: number[] = [];
    const placed = axon.steps.map((step) => {
      starts.push(this.code.length);
      return { step, at: this.#step(axon, step, stepId(path, step)) };
    });
    starts.push(this.code.length);
    const output = outputCheck(axon, this.#options);
    if (output !== undefined) this.#push(draft(`${axon.name} output`, egressId(path), output));

    if (output !== undefined) this.#keepsLetters(axon, egressId(path));
    const isPart = this.#part !== null;
    this.#afterLine.push((placeOf) => {
      const places = starts.map(placeOf);
      if (!isPart) this.#enterAt(placed, places, path);
      for (const { step, at } of placed) this.#route(axon, step, at, path, places);
    });
  }

  /** Where a run can begin: at each step, and at the Axon itself. */
  #enterAt(placed: readonly { step: StepDefinition }[], places: readonly number[], path: string): void {
    this.entries.set(ingressId(path), places[0] as number);
    for (const [i, { step }] of placed.entries()) this.entries.set(stepId(path, step), places[i] as number);
  }

  #keepsLetters({ dlqSink, dlqPolicy }: AxonDefinition, node: string): void {
    if (dlqSink !== undefined && dlqPolicy?.kind !== "drop") this.sinks.set(node, dlqSink);
  }

  /** Where the outcomes of a step lead, once its line is whole. */
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
        const { entry } = this.line(instruction.next, () => this.axon(body, from, false));
        instruction.branches.set(id, entry);
      });
    }
  }

  /** Lays a step out; answers where. A subgraph without policies stands in the line itself. */
  #step(axon: AxonDefinition, step: StepDefinition, id: string): number {
    const { body, transition } = step;
    if (body.kind === "subgraph" && hasNoPolicy(step)) {
      const at = this.code.length;
      const { traced } = this.#options;
      if (traced) this.#push(mark(transition.name, entering(id)));
      this.axon(body.axon, id, false);
      if (traced) this.#push(mark(transition.name, leaving(id)));
      return at;
    }
    // For all of its parts, so that those that run at once do not each make it.
    for (const key of keysOfStep({ ...step, branches: new Map() })) {
      const make = this.#options.awaited.get(key);
      if (make === undefined) continue;
      const made = this.#options.traced ? providing(make, id) : make;
      this.#push(draft(`provide '${key.name}'`, "", made));
    }
    const parts: Part[] = [];
    const run = this.#withPolicies(step, id, this.#body(axon, step, id, parts));
    const declared = {
      reads: [...(transition.reads ?? []), ...readsOfUndo(step)],
      writes: transition.writes ?? [],
      emits: new Set((transition.emits ?? []).map((kind) => kind.name)),
      sinks: axon.sinks,
      parts,
      isSubgraph: body.kind === "subgraph",
    };
    const at = this.#push(draft(transition.name, id, run, declared));
    this.#keepsLetters(axon, id);
    for (const part of parts) part.owner = at;
    return at;
  }

  #body(
    axon: AxonDefinition,
    { body, transition }: StepDefinition,
    id: string,
    parts: Part[],
  ): Instruction["step"] {
    const { production, program } = this.#options;
    switch (body.kind) {
      case "function":
        return production ? transition : checkedStep(transition);
      case "subgraph": {
        const part = this.#newPart(transition.name, parts, () => this.axon(body.axon, id, false));
        return subgraphStep(program, part);
      }
      case "parallel": {
        for (const inner of body.steps)
          this.#newPart(inner.transition.name, parts, () => this.#step(axon, inner, stepId(id, inner)));
        return parallelStep(program, transition.name, parts, body.strategy, body.merge);
      }
    }
  }

  /** A line that a step runs by itself. */
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
    const run = this.#options.traced && number >= 0 ? tracedStep(step, instruction, number) : step;
    return this.code.push({ ...instruction, step: run, number, part: this.#part }) - 1;
  }

  // Each try has its own time, and what completes too late is undone.
  #withPolicies(
    { transition, retry, timeoutMs, undo }: StepDefinition,
    id: string,
    body: Instruction["step"],
  ): Instruction["step"] {
    const { clock, program } = this.#options;
    const { name } = transition;
    const undone = undo === undefined ? body : this.#compensated(undo, id, body);
    const timed =
      timeoutMs === undefined ? undone : timeoutStep(program, { name, node: id, timeoutMs, clock }, undone);
    return retry === undefined ? timed : retryStep(name, id, timed, retry, clock);
  }

  #compensated(
    { transition, retry, timeoutMs = MAX_UNDO_MS }: Compensation,
    id: string,
    body: Instruction["step"],
  ): Instruction["step"] {
    const { production, program, clock } = this.#options;
    const { name } = transition;
    const step = production ? transition : checkedStep(transition);
    // One that never answers would hold the run, and nobody would hear of it.
    const timed = timeoutStep(program, { name, node: id, timeoutMs, clock }, step);
    const undo = { name, step: retry === undefined ? timed : retryStep(name, id, timed, retry, clock) };
    this.compensations.set(id, undo);
    return compensatedStep(program, body, { ...undo, node: id });
  }
}

const hasNoPolicy = ({ retry, timeoutMs, undo }: StepDefinition): boolean =>
  retry === undefined && timeoutMs === undefined && undo === undefined;

/** What has to be there when the step is undone: what it writes itself will be. */
function readsOfUndo({ transition, undo }: StepDefinition): readonly AnyKey[] {
  const { writes = [] } = transition;
  return (undo?.transition.reads ?? []).filter((key) => !writes.includes(key));
}

type Declared = Pick<Instruction, "reads" | "writes" | "emits" | "sinks" | "parts" | "isSubgraph">;

const nothing: Declared = {
  reads: [],
  writes: [],
  emits: new Set(),
  sinks: [],
  parts: [],
  isSubgraph: false,
};

function draft(name: string, node: string, step: Instruction["step"], declared = nothing): Draft {
  return {
    name,
    node,
    number: -1,
    step,
    ...declared,
    isMark: false,
    part: null,
    next: END,
    jumps: new Map(),
    branches: new Map(),
  };
}

const mark = (name: string, step: Instruction["step"]): Draft => ({ ...draft(name, "", step), isMark: true });

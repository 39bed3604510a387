// Runs that begin at a node behind the input of their route, for the Inspector. Such a run is the
// answer to a request in process: the front of the route (layers, guards, IAM boundary) decides about
// it as about each, by the credentials it brings, and then, in the place of the input, the run enters
// the line at the node with the values it is given. For that a route has a second circuit, compiled
// at the first such run.
//
//   N1. No guard and no boundary is passed by: one that stands behind the input, before the node,
//       refuses the node.
//   N2. A stored run that begins so has an id of its own.

import { randomUUID } from "node:crypto";

import { isFault, jump } from "#core/bus/outcome.js";
import { decidersBefore } from "#runtime/check/deciders.js";
import { missingKeys } from "#runtime/check/definite-assignment.js";
import { inputCheck } from "#runtime/check/schema-checks.js";
import type { Program } from "#runtime/compile/program.js";
import type { Instruction } from "#runtime/run/instruction.js";
import { axonId } from "#runtime/run/node-id.js";
import type { RunState } from "#runtime/run/run-state.js";
import { keysOnEntry } from "#runtime/steps/entering.js";
import { mayGenerateCode } from "#schema/compile/code-generation.js";
import type { Exchange } from "../exchange/exchange.js";
import type { EntryPlace, InProcessRequest, RunEntry } from "../plan/extension.js";
import type { RouteDefinition } from "../plan/route-definition.js";
import { Router } from "../routing/router.js";
import { Circuit } from "./circuit.js";
import { Dispatcher, type DispatcherParts } from "./dispatcher.js";

interface EnteredRoute {
  readonly dispatcher: Dispatcher;
  readonly circuit: Circuit;
  readonly deciders: ReadonlyMap<string, readonly string[]>;
}

export class EnteredRuns {
  readonly #parts: DispatcherParts;
  readonly #routes = new Map<string, EnteredRoute>();
  /** By the id of its request. */
  readonly #entries = new Map<string, RunEntry>();

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  entryAt(name: string, node: string): EntryPlace {
    const route = this.#definition(name);
    const refused = (reason: string): EntryPlace => ({ kind: "refused", reason });
    if (route === undefined) return refused(`the server has no route '${name}'`);
    const kind = refusalOf(route);
    if (kind !== undefined) return refused(kind);
    const { circuit, deciders } = this.#entered(name, route);
    const { program, given } = circuit;
    const { inputAt = -1, entries } = program.front ?? {};
    const at = entries?.get(node);
    if (at === undefined)
      return refused(
        deciders.has(node)
          ? "it stands before the input: guards and the IAM boundary run in each run"
          : "it is no node of the line: it runs inside another step, or belongs to a guard or a layer",
      );
    const passed = deciders.get(node)?.at(-1);
    if (passed !== undefined)
      return refused(`'${passed}' stands before it and decides by the values of the run: begin there`);
    const { code, name: axon } = program;
    const front = code.slice(0, inputAt).flatMap(({ writes }) => writes);
    const used = program.keptAt(at);
    const isWrittenBefore = (key: (typeof used)[number]): boolean => !front.includes(key);
    return {
      kind: "open",
      keys: used.filter(isWrittenBefore).map((key) => key.name),
      missing: (names) => {
        const keys = program.layout.keys.filter((key) => names.includes(key.name));
        return missingKeys(axon, code, [...given, ...front, ...keysOnEntry(program), ...keys], at);
      },
    };
  }

  /** The dispatcher for this request. Call `done` when it is answered. Throws for an entry that `entryAt` refuses. */
  begin({ entry, requestId = "" }: InProcessRequest): { dispatcher: Dispatcher; done: () => void } {
    const route = entry && this.#definition(entry.route);
    if (entry === undefined || route === undefined || requestId === "")
      throw new TypeError("An entry needs a route and the id of its request");
    const place = this.entryAt(entry.route, entry.node);
    if (place.kind === "refused") throw new TypeError(place.reason);
    this.#entries.set(requestId, entry);
    const { dispatcher } = this.#entered(entry.route, route);
    return { dispatcher, done: () => this.#entries.delete(requestId) };
  }

  #definition(name: string): RouteDefinition | undefined {
    return this.#parts.plan.routes.find(({ method, pattern }) => `${method} ${pattern.text}` === name);
  }

  #entered(name: string, route: RouteDefinition): EnteredRoute {
    const known = this.#routes.get(name) ?? this.#mount(route);
    this.#routes.set(name, known);
    return known;
  }

  #mount(route: RouteDefinition): EnteredRoute {
    const { plan, routes } = this.#parts;
    const entering = (program: () => Program): Instruction["step"] => this.#entering(route, program);
    const context = { ...routes.context, entering };
    const circuit = new Circuit(route, context);
    const router = new Router<Circuit>(plan);
    router.add(circuit);
    const none = { unrouted: undefined, fallback: undefined, page: undefined };
    const dispatcher = new Dispatcher({
      ...this.#parts,
      routes: { context, own: [circuit], router, ...none },
    });
    const deciders = decidersBefore(route.axon, axonId(route.axon.name));
    return { dispatcher, circuit, deciders };
  }

  /** In the place of the input: puts the values on the Bus, takes the lock of the Axon, and jumps. */
  #entering({ axon }: RouteDefinition, programOf: () => Program): Instruction["step"] {
    const check = axon.input && inputCheck(axon, axon.input, { generate: mayGenerateCode() });
    return {
      run: (_, bus) => {
        const { state } = bus;
        const entry = this.#entries.get((state.request as Exchange).requestId);
        if (entry === undefined) throw new TypeError("The request of the run brings no entry");
        const program = programOf();
        restore(program, state, entry.bus);
        const { node } = entry;
        const input =
          check !== undefined && isFirst(program, node) ? check.run(entry.input, bus) : entry.input;
        const goOn = (value: unknown): unknown => (isFault(value) ? value : jump(node, value));
        if (isFault(input) || program.lock === undefined) return goOn(input);
        const taken = program.lock.run(input, bus);
        return taken instanceof Promise ? taken.then(goOn) : goOn(taken);
      },
    };
  }
}

function restore(program: Program, state: RunState, bus: ReadonlyMap<string, unknown>): void {
  for (const key of program.layout.keys)
    if (bus.has(key.name)) state.values[state.slotOf(key)] = bus.get(key.name);
  // The id that a request provides is that of the first run (N2).
  if (program.journal !== undefined) state.due().runId = randomUUID();
}

/** The first node behind the input gets what the schema of the input has checked. */
function isFirst({ front }: Program, node: string): boolean {
  const entries = front?.entries ?? new Map<string, number>();
  return entries.get(node) === Math.min(...entries.values());
}

/** Why no run of the route can begin behind its input. */
function refusalOf({ detached, webSocket, events, axon }: RouteDefinition): string | undefined {
  if (detached) return "its route does not wait for the run";
  if (webSocket !== undefined) return "its route opens a WebSocket";
  if (events !== undefined) return "its route is a stream of events";
  if (axon.subject !== undefined) return "its Axon takes the data subject from its input";
  return undefined;
}

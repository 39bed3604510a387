// Outside production each step sees the Bus through a view that enforces its declarations. Its
// promise to write is checked when it returns Next.

import type { BusView } from "#core/bus/bus.js";
import type { AnyKey, TypeOfKey } from "#core/bus/bus-key.js";
import { Control, isEmit } from "#core/bus/outcome.js";
import { FrameworkError } from "#core/errors.js";
import type { NameUse } from "#core/flow/named-keys.js";
import type { AnyTransition } from "#core/flow/transition.js";
import { beginInner, INNER, type InnerSpan, type InnerStart } from "#core/timeline/inner-span.js";
import type { NodeSpan } from "#core/timeline/recorder.js";
import { whenSettled } from "../run/answers.js";
import type { Instruction } from "../run/instruction.js";
import { spanOf } from "../run/node-span.js";
import { noteReturned } from "../run/returned-by.js";
import type { RunBus } from "../run/run-state.js";

interface Access {
  readonly owner: string;
  /** The remedy if a key is not among those declared for `call`. */
  readonly remedy: (call: Call, key: string) => string;
  readonly get: ReadonlySet<AnyKey>;
  readonly find: ReadonlySet<AnyKey>;
  readonly set: ReadonlySet<AnyKey>;
  readonly delete: ReadonlySet<AnyKey>;
  readonly labels: ReadonlySet<string>;
}

/** The declarations that allow a call, the plainest first; in `uses`, `mayUse` and `sets` by name. */
const DECLARED_IN = {
  get: ["reads", "uses"],
  find: ["reads", "mayRead", "uses", "mayUse"],
  set: ["writes", "mayWrite", "sets"],
  delete: ["deletes"],
} as const;

type Call = keyof typeof DECLARED_IN;

const NAMED_IN = { read: "'uses' or 'mayUse'", set: "'sets'" } as const;

function declareIt(call: Call): string {
  const lists = DECLARED_IN[call].map((list) => `'${list}'`);
  const last = lists.pop();
  return `add the key to ${lists.length === 0 ? last : `${lists.join(", ")} or ${last}`}`;
}

/** The declaration of a key that the step did not write, and the remedy. */
function writeIt({ sets = {} }: AnyTransition, key: AnyKey): string {
  const name = Object.keys(sets).find((known) => sets[known] === key);
  return name === undefined
    ? "'writes': set it"
    : `'sets': set it by bus.${name} = ... (assigning a destructured '${name}' sets nothing)`;
}

/** The step with its declarations enforced. Costs a view per run of the step. */
export function checkedStep(transition: AnyTransition): Instruction["step"] {
  const {
    name,
    reads = [],
    writes = [],
    mayRead = [],
    mayWrite = [],
    deletes = [],
    labels = [],
  } = transition;
  const access: Access = {
    owner: `Step '${name}'`,
    remedy: declareIt,
    get: new Set(reads),
    find: new Set([...reads, ...writes, ...mayRead, ...mayWrite]),
    set: new Set([...writes, ...mayWrite]),
    delete: new Set(deletes),
    labels: new Set(labels),
  };
  return {
    run(input, bus) {
      const answer: unknown = transition.run(input, new CheckedBus(bus, access));
      noteReturned(answer, name);
      if (writes.length === 0) return answer;
      return whenSettled(answer, (settled) => requireWritten(settled, writes, bus, transition));
    },
  };
}

export function bareUndo({ name, run }: AnyTransition): Instruction["step"] {
  const none = new Set<AnyKey>();
  const access: Access = {
    owner: `The function '${name}', which undoes a step,`,
    remedy: (call, key) =>
      `a function declares no keys; in its place give transition({ name: "${name}", ${DECLARED_IN[call][0]}: [${key}], run })`,
    get: none,
    find: none,
    set: none,
    delete: none,
    labels: new Set(),
  };
  return { run: (done, bus) => run(done, new CheckedBus(bus, access)) };
}

class CheckedBus implements BusView<AnyKey, AnyKey, AnyKey, AnyKey, AnyKey, string> {
  readonly #bus: RunBus;
  readonly #access: Access;

  constructor(bus: RunBus, access: Access) {
    this.#bus = bus;
    this.#access = access;
  }

  get<K extends AnyKey>(key: K): TypeOfKey<K> {
    this.#require("get", key);
    return this.#bus.get(key);
  }

  find<K extends AnyKey>(key: K): TypeOfKey<K> | undefined {
    this.#require("find", key);
    return this.#bus.find(key);
  }

  has(key: AnyKey): boolean {
    this.#require("find", key);
    return this.#bus.has(key);
  }

  set<K extends AnyKey>(key: K, value: TypeOfKey<K>): void {
    this.#require("set", key);
    this.#bus.set(key, value);
  }

  delete(key: AnyKey): void {
    this.#require("delete", key);
    this.#bus.delete(key);
  }

  label(name: string, value: string): void {
    if (!this.#access.labels.has(name))
      throw new FrameworkError(
        "BUS_ACCESS_DENIED",
        `${this.#access.owner} called label('${name}') without declaring it: add the name to 'labels'`,
      );
    this.#bus.label(name, value);
  }

  get signal(): AbortSignal {
    return this.#bus.signal;
  }

  /** For the view of a step that declares keys by name. */
  refuseName(use: NameUse, name: string): never {
    throw new FrameworkError(
      "BUS_ACCESS_DENIED",
      `${this.#access.owner} ${use} bus.${name} without declaring it: give its key that name in ${NAMED_IN[use]}`,
    );
  }

  get span(): NodeSpan | undefined {
    return spanOf(this.#bus);
  }

  [INNER](start: InnerStart): InnerSpan | undefined {
    return beginInner(this.#bus, start);
  }

  #require(call: Call, key: AnyKey): void {
    const { [call]: allowed, owner, remedy } = this.#access;
    if (allowed.has(key)) return;
    throw new FrameworkError(
      "BUS_ACCESS_DENIED",
      `${owner} called ${call}('${key.name}') without declaring it: ${remedy(call, key.name)}`,
    );
  }
}

function requireWritten(answer: unknown, writes: readonly AnyKey[], bus: RunBus, step: AnyTransition): void {
  if (isEmit(answer)) requireWritten(answer.value, writes, bus, step);
  if (answer instanceof Control) return;
  const unwritten = writes.find((key) => !bus.has(key));
  if (unwritten === undefined) return;
  throw new FrameworkError(
    "BUS_VALUE_UNWRITTEN",
    `Step '${step.name}' answered without writing '${unwritten.name}', which it declares in ${writeIt(step, unwritten)}, or declare it in 'mayWrite'`,
  );
}

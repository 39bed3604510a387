// Outside production each step sees the Bus through a view that knows what the
// step declares, and its promise to write is checked when it answers Next.

import type { BusView } from "#core/bus.js";
import type { AnyKey, TypeOfKey } from "#core/bus-key.js";
import { FrameworkError } from "#core/errors.js";
import { Control, isEmit } from "#core/outcome.js";
import type { AnyTransition } from "#core/transition.js";
import { whenSettled } from "./answers.js";
import type { Instruction } from "./instruction.js";
import type { RunBus } from "./run-bus.js";

interface Access {
  readonly step: string;
  readonly get: ReadonlySet<AnyKey>;
  readonly find: ReadonlySet<AnyKey>;
  readonly set: ReadonlySet<AnyKey>;
  readonly delete: ReadonlySet<AnyKey>;
}

/** The step with its declarations enforced. Costs a view per run of the step. */
export function checkedStep(transition: AnyTransition): Instruction["step"] {
  const { name, reads = [], writes = [], mayRead = [], mayWrite = [] } = transition;
  const access: Access = {
    step: name,
    get: new Set(reads),
    find: new Set([...reads, ...writes, ...mayRead, ...mayWrite]),
    set: new Set([...writes, ...mayWrite]),
    delete: new Set(mayWrite),
  };
  return {
    run(input, bus) {
      const answer: unknown = transition.run(input, new CheckedBus(bus, access));
      if (writes.length === 0) return answer;
      return whenSettled(answer, (settled) => requireWritten(settled, writes, bus, name));
    },
  };
}

class CheckedBus implements BusView<AnyKey, AnyKey, AnyKey, AnyKey> {
  readonly #bus: RunBus;
  readonly #access: Access;

  constructor(bus: RunBus, access: Access) {
    this.#bus = bus;
    this.#access = access;
  }

  get<K extends AnyKey>(key: K): TypeOfKey<K> {
    this.#require("get", key, "reads");
    return this.#bus.get(key);
  }

  find<K extends AnyKey>(key: K): TypeOfKey<K> | undefined {
    this.#require("find", key, "reads' or 'mayRead");
    return this.#bus.find(key);
  }

  has(key: AnyKey): boolean {
    return this.find(key) !== undefined;
  }

  set<K extends AnyKey>(key: K, value: TypeOfKey<K>): void {
    this.#require("set", key, "writes' or 'mayWrite");
    this.#bus.set(key, value);
  }

  delete(key: AnyKey): void {
    this.#require("delete", key, "mayWrite");
    this.#bus.delete(key);
  }

  get signal(): AbortSignal {
    return this.#bus.signal;
  }

  #require(call: "get" | "find" | "set" | "delete", key: AnyKey, declaration: string): void {
    if (this.#access[call].has(key)) return;
    throw new FrameworkError(
      "BUS_ACCESS_DENIED",
      `Step '${this.#access.step}' called ${call}('${key.name}') without declaring it: add the key to '${declaration}'`,
    );
  }
}

function requireWritten(answer: unknown, writes: readonly AnyKey[], bus: RunBus, step: string): void {
  if (isEmit(answer)) requireWritten(answer.value, writes, bus, step);
  if (answer instanceof Control) return;
  const unwritten = writes.find((key) => !bus.has(key));
  if (unwritten === undefined) return;
  throw new FrameworkError(
    "BUS_VALUE_UNWRITTEN",
    `Step '${step}' answered without writing '${unwritten.name}', which it declares in 'writes': set it, or declare it in 'mayWrite'`,
  );
}

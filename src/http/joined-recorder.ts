import type { Recorder } from "#core/recorder.js";
import { pendingOf } from "#runtime/answers.js";

type Call = Exclude<keyof Recorder, "beforeNode">;

/** One recorder that tells all of them; undefined for none. Which calls it has is what any of them has. */
export const joinedRecorder = (recorders: readonly Recorder[]): Recorder | undefined =>
  recorders.length < 2 ? recorders[0] : (new JoinedRecorder(recorders) as Recorder);

class JoinedRecorder {
  readonly #all: readonly Recorder[];

  constructor(all: readonly Recorder[]) {
    this.#all = all;
  }

  get mounted(): Recorder["mounted"] {
    return this.#has("mounted") ? this.#mounted : undefined;
  }

  get beforeNode(): Recorder["beforeNode"] {
    return this.#has("beforeNode") ? this.#beforeNode : undefined;
  }

  get afterNode(): Recorder["afterNode"] {
    return this.#has("afterNode") ? this.#afterNode : undefined;
  }

  get busAccess(): Recorder["busAccess"] {
    return this.#has("busAccess") ? this.#busAccess : undefined;
  }

  get event(): Recorder["event"] {
    return this.#has("event") ? this.#event : undefined;
  }

  get ended(): Recorder["ended"] {
    return this.#has("ended") ? this.#ended : undefined;
  }

  get answered(): Recorder["answered"] {
    return this.#has("answered") ? this.#answered : undefined;
  }

  readonly #mounted: Recorder["mounted"] = (...told) => this.#tell("mounted", told);
  readonly #afterNode: Recorder["afterNode"] = (...told) => this.#tell("afterNode", told);
  readonly #busAccess: Recorder["busAccess"] = (...told) => this.#tell("busAccess", told);
  readonly #event: Recorder["event"] = (...told) => this.#tell("event", told);
  readonly #ended: Recorder["ended"] = (...told) => this.#tell("ended", told);
  readonly #answered: Recorder["answered"] = (...told) => this.#tell("answered", told);

  /** One after another: each is given what the one before it has answered. */
  readonly #beforeNode: Recorder["beforeNode"] = (run, node, input) => {
    let given = input;
    for (const recorder of this.#all) {
      const ask = (input: unknown): unknown =>
        recorder.beforeNode === undefined ? input : recorder.beforeNode(run, node, input);
      given = given instanceof Promise ? given.then(ask) : ask(given);
    }
    return given;
  };

  #has(call: keyof Recorder): boolean {
    return this.#all.some((recorder) => recorder[call] !== undefined);
  }

  /** Each is told, whatever the others throw or reject with; one of those failures is answered, to be reported. */
  #tell<C extends Call>(call: C, told: Parameters<NonNullable<Recorder[C]>>): unknown {
    const pending: Promise<unknown>[] = [];
    for (const recorder of this.#all) {
      try {
        const tell = recorder[call] as ((...args: unknown[]) => unknown) | undefined;
        const answered = pendingOf(tell?.apply(recorder, told));
        if (answered !== undefined) pending.push(answered);
      } catch (error) {
        pending.push(Promise.reject(error));
      }
    }
    // Who tells it reports what it rejects with.
    return pending.length === 0 ? undefined : Promise.all(pending);
  }
}

import type { Static, TSchema } from "@sinclair/typebox";

import type { BusView } from "../bus/bus.js";
import type { AnyKey } from "../bus/bus-key.js";
import type { DeclaredResponse } from "../bus/declared-response.js";
import { type Fault, fault, type MappedError } from "../bus/outcome.js";
import type { MaybePromise } from "../bus/outcome-types.js";
import {
  type KeysNamed,
  type NamedBus,
  type NamedDeclarations,
  type NamedKeys,
  type NoKeys,
  withNamedKeys,
} from "./named-keys.js";
import type { Transition } from "./transition.js";

/** A typed port to an outside service: a step that Schematics draw as a node of its own kind. */
export interface Synapse<in In, out Out, out E, Rd extends AnyKey = never, Mr extends AnyKey = never>
  extends Transition<In, MaybePromise<Out | Fault<E>>, Rd, never, Mr> {
  readonly kind: "synapse";
}

interface Definition<
  In,
  R,
  E,
  S,
  Rd extends AnyKey,
  Mr extends AnyKey,
  U extends NamedKeys,
  M extends NamedKeys,
> extends Omit<NamedDeclarations<U, NoKeys, M>, "sets"> {
  readonly name: string;
  readonly description?: string;
  readonly input?: S;
  /** Drawn, not checked: put a SchemaValidator behind a service that may answer something else. */
  readonly output?: TSchema;
  /** For instance the resource that holds the client. */
  readonly reads?: readonly Rd[];
  readonly mayRead?: readonly Mr[];
  /** What `toFault` means to a client, for documentation. */
  readonly responses?: readonly DeclaredResponse[];
  /** Asks the service. `bus.signal` fires when the run is aborted: hand it to the client. */
  readonly call: (input: In, bus: NamedBus<Rd, never, Mr, never, never, U, NoKeys, M>) => R;
  /**
   * What a failure of `call` means to the flow. Without it, and where it answers
   * undefined, what `call` throws is a TRANSITION_PANIC. What was thrown is logged
   * (SERVICE_FAILED) and kept in the trace and the dead letter; no response has it.
   */
  readonly toFault?: (thrown: unknown) => E;
}

export function synapse<
  S extends TSchema,
  R,
  const E = never,
  Rd extends AnyKey = never,
  Mr extends AnyKey = never,
  U extends NamedKeys = NoKeys,
  M extends NamedKeys = NoKeys,
>(
  definition: Definition<Static<S>, R, E, S, Rd, Mr, U, M> & { readonly input: S },
): Synapse<Static<S>, Awaited<R>, Exclude<E, undefined>, Rd | KeysNamed<U>, Mr | KeysNamed<M>>;
export function synapse<
  In,
  R,
  const E = never,
  Rd extends AnyKey = never,
  Mr extends AnyKey = never,
  U extends NamedKeys = NoKeys,
  M extends NamedKeys = NoKeys,
>(
  definition: Definition<In, R, E, never, Rd, Mr, U, M>,
): Synapse<In, Awaited<R>, Exclude<E, undefined>, Rd | KeysNamed<U>, Mr | KeysNamed<M>>;
export function synapse<In, R, E>({
  toFault,
  call,
  ...declared
}: Definition<In, R, E, TSchema, AnyKey, AnyKey, NamedKeys, NamedKeys>): Synapse<In, R, E, AnyKey, AnyKey> {
  const { run: ask, ...drawn } = withNamedKeys({ ...declared, run: call });
  const failed = (thrown: unknown): Fault<E> => {
    const error = toFault?.(thrown);
    if (error === undefined) throw thrown;
    const made = fault(error);
    if (error !== thrown) {
      const mapped: MappedError = { step: drawn.name, thrown };
      Object.defineProperty(made, "mapped", { value: mapped });
    }
    return made;
  };
  return Object.freeze({
    ...drawn,
    kind: "synapse",
    run(input: In, bus: BusView<AnyKey, never, AnyKey>) {
      try {
        const answer = ask(input, bus as never);
        // Clients answer thenables of their own kind as well.
        const pending = typeof (answer as PromiseLike<unknown> | null | undefined)?.then === "function";
        return pending ? Promise.resolve(answer).catch(failed) : answer;
      } catch (thrown) {
        return failed(thrown);
      }
    },
  });
}

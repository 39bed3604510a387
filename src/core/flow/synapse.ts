import type { Static, TSchema } from "@sinclair/typebox";

import type { BusView } from "../bus/bus.js";
import type { AnyKey } from "../bus/bus-key.js";
import type { DeclaredResponse } from "../bus/declared-response.js";
import { type Fault, fault, mappedFault } from "../bus/outcome.js";
import type { MaybePromise } from "../bus/outcome-types.js";
import { beginInner, endFailed } from "../timeline/inner-span.js";
import {
  type KeysNamed,
  type NamedBus,
  type NamedDeclarations,
  type NamedKeys,
  type NoKeys,
  withNamedKeys,
} from "./named-keys.js";
import { requireReplay, type Transition } from "./transition.js";
import { wrapping } from "./written-function.js";

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
  /** Drawn, not checked: use a SchemaValidator behind a service that may send other data. */
  readonly output?: TSchema;
  /** For instance the resource that holds the client. */
  readonly reads?: readonly Rd[];
  readonly mayRead?: readonly Mr[];
  /** A replay gives back its stored outcome. */
  readonly effect?: true;
  /** Responses to clients for the faults of `toFault`, for documentation. */
  readonly responses?: readonly DeclaredResponse[];
  /** Calls the service. `bus.signal` fires when the run is aborted: pass it to the client. */
  readonly call: (input: In, bus: NamedBus<Rd, never, Mr, never, never, U, NoKeys, M>) => R;
  /**
   * Maps a failure of `call` to a fault. Without it, or if it returns undefined, an error thrown
   * by `call` is a TRANSITION_PANIC. The error is logged (SERVICE_FAILED) and kept in the trace
   * and the dead letter. No response contains it.
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
    return error === thrown ? fault(error) : mappedFault(error, { step: drawn.name, thrown });
  };
  const made: Synapse<In, R, E, AnyKey, AnyKey> = {
    ...drawn,
    kind: "synapse",
    run(input: In, bus: BusView<AnyKey, never, AnyKey>) {
      const span = beginInner(bus, { kind: "synapse", name: drawn.name });
      try {
        const answer = ask(input, bus as never);
        // Clients may return thenables that are not promises.
        const pending = typeof (answer as PromiseLike<unknown> | null | undefined)?.then === "function";
        if (!pending) {
          span?.end();
          return answer;
        }
        const settled = Promise.resolve(answer);
        if (span !== undefined) settled.then(() => span.end(), endFailed(span));
        return settled.catch(failed);
      } catch (thrown) {
        endFailed(span)(thrown);
        return failed(thrown);
      }
    },
  };
  requireReplay(made);
  wrapping(made.run, ask);
  return Object.freeze(made);
}

// Checks the arguments of untyped callers: a step, an Axon or a sink. The error is thrown where it is given.

import { FrameworkError } from "#core/errors.js";
import { type AnyTransition, requireReplay } from "#core/flow/transition.js";
import { invalidOption } from "#core/invalid-option.js";

export function requireName(what: string, name: unknown): void {
  if (typeof name === "string" && name !== "") return;
  throw new FrameworkError(
    "AXON_NAME_INVALID",
    `${what} needs a name: a string that is not empty, not ${JSON.stringify(name)}`,
  );
}

/** Throws AXON_STEP_INVALID for a value that is not a step, AXON_NAME_INVALID for a step without a name. */
export function requireStep(step: AnyTransition, owner: string): void {
  const isStep = typeof (step as AnyTransition | undefined)?.run === "function";
  if (typeof step === "function" && !isStep)
    throw invalidStep(`A function is no step of ${owner}: ${functionRemedy(step)}`);
  requireName(`Step of ${owner}`, step?.name);
  if (isStep) {
    requireReplay(step);
    return;
  }
  if ((step as { readonly definition?: unknown }).definition !== undefined)
    throw invalidStep(
      `Axon '${step.name}' is no step of ${owner}: append it by subgraph(axon), or give its asTransition()`,
    );
  throw invalidStep(`Step '${step.name}' of ${owner} has no function 'run'`);
}

/** `await` treats an Axon as a promise, and calls its `then` with a function of the engine. */
const functionRemedy = (given: (...args: never[]) => unknown): string =>
  /\{\s*\[native code\]\s*\}$/.test(Function.prototype.toString.call(given))
    ? "was the Axon awaited, or answered by an async function? It has a call `then` and is no promise: put it in an object, as in { axon }"
    : "write thenFn(name, fn), or transition({ name, run: fn }) where a step is wanted";

export function requireAxon<A extends object>(call: string, axon: A): A {
  if ((axon as { readonly definition?: unknown } | undefined)?.definition !== undefined) return axon;
  const remedy =
    axon === undefined
      ? "undefined: where two modules import each other, one of them is not there yet"
      : `a ${typeof axon}: make one by Axon.start(name)`;
  throw invalidStep(`${call} was given no Axon but ${remedy}`);
}

/** Throws AXON_STEP_INVALID for a step that runs on the event loop. */
export function requireOffloaded(step: AnyTransition, call: string): AnyTransition {
  if (step?.offload !== undefined) return step;
  throw invalidStep(
    `${call} was given '${step?.name}', which works on the event loop: make it by workerTransition({ name, module, export }), or append it by then(step)`,
  );
}

/** Throws CONFIG_INVALID for a sink without a `send` method. */
export function requireSink<S extends object>(call: string, sink: S): S {
  if (typeof (sink as { readonly send?: unknown } | undefined)?.send === "function") return sink;
  throw invalidOption(call, "the sink has no function 'send'");
}

export const invalidStep = (message: string): FrameworkError =>
  new FrameworkError("AXON_STEP_INVALID", message);

import { interned } from "../interned.js";

type AnyFunction = (...args: never[]) => unknown;

const written = interned("WrittenFunctions", () => new WeakMap<object, AnyFunction>());

/** Notes which function of the program `wrapper` calls. */
export function wrapping<F extends AnyFunction>(wrapper: F, own: AnyFunction): F {
  written.set(wrapper, own);
  return wrapper;
}

/** The function of the program behind a step's `run`. */
export function writtenFunction(run: AnyFunction): AnyFunction {
  const own = written.get(run);
  return own === undefined ? run : writtenFunction(own);
}

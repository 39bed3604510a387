// Signals for code that is not ours. A listener that throws is reported: Node.js would end the
// process, and whoever goes away would decide when.

import { reportAsWarning } from "./reporter.js";

type Listener = ((event: Event) => unknown) | { handleEvent(event: Event): unknown } | null;

/** A controller whose signal's listeners cannot throw. `message` is what is reported where one does. */
export function tamedController(message: string): AbortController {
  const controller = new AbortController();
  const { signal } = controller;
  const tamed = new WeakMap<object, (event: Event) => void>();
  const failed = (error: unknown): void => reportAsWarning({ code: "STEP_PANIC", message, error });
  const tame = (listener: Listener): Listener => {
    // Legal, and none at all; what else is no listener the platform refuses by itself.
    if (listener === null || (typeof listener !== "object" && typeof listener !== "function"))
      return listener;
    const known = tamed.get(listener);
    if (known !== undefined) return known;
    const made = (event: Event): void => {
      try {
        const answer =
          typeof listener === "function" ? listener.call(signal, event) : listener.handleEvent(event);
        // An async listener's rejection would end the process too.
        Promise.resolve(answer).catch(failed);
      } catch (error) {
        failed(error);
      }
    };
    tamed.set(listener, made);
    return made;
  };
  signal.addEventListener = (type: string, listener: Listener, options?: object | boolean) =>
    AbortSignal.prototype.addEventListener.call(signal, type, tame(listener) as never, options);
  signal.removeEventListener = (type: string, listener: Listener, options?: object | boolean) =>
    AbortSignal.prototype.removeEventListener.call(signal, type, tame(listener) as never, options);
  return controller;
}

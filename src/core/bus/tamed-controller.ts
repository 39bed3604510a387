// Abort signals for code outside the framework. An error of a listener is reported: Node.js
// would end the process, and a client could cause that by disconnecting.

import { reportAsWarning } from "./reporter.js";

type Listener = ((event: Event) => unknown) | { handleEvent(event: Event): unknown } | null;

/** A controller for a signal that catches errors of its listeners. `message` is reported with each. */
export function tamedController(message: string): AbortController {
  const controller = new AbortController();
  const { signal } = controller;
  const tamed = new WeakMap<object, (event: Event) => void>();
  const failed = (error: unknown): void => reportAsWarning({ code: "STEP_PANIC", message, error });
  const tame = (listener: Listener): Listener => {
    // A null listener is legal and does nothing. The platform refuses other invalid ones.
    if (listener === null || (typeof listener !== "object" && typeof listener !== "function"))
      return listener;
    const known = tamed.get(listener);
    if (known !== undefined) return known;
    const made = (event: Event): void => {
      try {
        const answer =
          typeof listener === "function" ? listener.call(signal, event) : listener.handleEvent(event);
        // The rejection of an async listener would end the process too.
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

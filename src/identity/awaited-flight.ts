/**
 * Waits for a flight that several callers share. A caller that aborts gets `givenUp()`, and the
 * flight continues for the others. The flight must not reject.
 */
export function awaitedFlight<T>(flight: Promise<T>, signal: AbortSignal, givenUp: () => T): Promise<T> {
  if (signal.aborted) return Promise.resolve(givenUp());
  return new Promise((resolve) => {
    const onAbort = (): void => resolve(givenUp());
    signal.addEventListener("abort", onAbort, { once: true });
    void flight.then((answer) => {
      signal.removeEventListener("abort", onAbort);
      resolve(answer);
    });
  });
}

/**
 * What a flight ends with that several wait for: who gives up waiting is answered `givenUp()`,
 * and the flight goes on for the others. The flight must not reject.
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

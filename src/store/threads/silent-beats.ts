/** Beats of a thread for a host whose event loop is held up. */
export interface SilentBeats {
  /** Its number changes with each sign of the event loop. */
  readonly signs: Int32Array;
  readonly everyMs: number;
  /** See StandingLeaseOptions. */
  readonly maxSilenceMs: number;
}

/** Calls `beat` while there are no signs, `signed` when there are. Returns a function that ends it. */
export function beatInSilence(
  { signs, everyMs, maxSilenceMs }: SilentBeats,
  beat: () => void,
  signed: () => void = () => {},
): () => void {
  let seen = Atomics.load(signs, 0);
  let signedAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const found = Atomics.load(signs, 0);
    if (found !== seen) {
      seen = found;
      signedAt = now;
      signed();
    } else if (now - signedAt <= maxSilenceMs) beat();
  }, everyMs);
  return () => clearInterval(timer);
}

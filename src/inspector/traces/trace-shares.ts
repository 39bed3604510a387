// Which runs are kept longer than others. Each share has a bound of its own in number and
// bytes, so that none can push out what another keeps.

import type { KeptTrace } from "./kept-trace.js";

export interface ShareBounds {
  readonly maxTraces: number;
  readonly maxBytes: number;
}

/** Takes a run, or does not; answers those that it has let go of, the run itself among them where it was not taken. */
export interface Share {
  readonly offer: (kept: KeptTrace) => readonly KeptTrace[];
}

const sumOf = (traces: Iterable<KeptTrace>): number => {
  let sum = 0;
  for (const { bytes } of traces) sum += bytes;
  return sum;
};

const GONE = undefined as unknown as KeptTrace;

/** The newest runs. */
export class NewestShare implements Share {
  readonly #bounds: ShareBounds;
  // Not a Set: to find its first member it walks over all that were deleted before.
  #traces: KeptTrace[] = [];
  #oldest = 0;
  #bytes = 0;

  constructor(bounds: ShareBounds) {
    this.#bounds = bounds;
  }

  offer(kept: KeptTrace): readonly KeptTrace[] {
    const { maxTraces, maxBytes } = this.#bounds;
    if (kept.bytes > maxBytes) return [kept];
    this.#traces.push(kept);
    this.#bytes += kept.bytes;
    const from = this.#oldest;
    while (this.#traces.length - this.#oldest > maxTraces || this.#bytes > maxBytes) {
      this.#bytes -= (this.#traces[this.#oldest] as KeptTrace).bytes;
      this.#oldest += 1;
    }
    const dropped = this.#traces.slice(from, this.#oldest);
    // What was dropped is let go of at once; the places are given back now and then.
    this.#traces.fill(GONE, from, this.#oldest);
    if (this.#oldest > maxTraces) {
      this.#traces = this.#traces.slice(this.#oldest);
      this.#oldest = 0;
    }
    return dropped;
  }
}

/** Runs that faulted, the newest of each cause: a flood of one kind pushes out its own kind first. */
export class FaultedShare implements Share {
  readonly #bounds: ShareBounds;
  readonly #causes = new Map<string, Set<KeptTrace>>();
  #count = 0;
  #bytes = 0;

  constructor(bounds: ShareBounds) {
    this.#bounds = bounds;
  }

  offer(kept: KeptTrace): readonly KeptTrace[] {
    const { maxTraces, maxBytes } = this.#bounds;
    if (kept.fault === null || kept.bytes > maxBytes) return [kept];
    const cause = causeOf(kept);
    const traces = this.#causes.get(cause) ?? new Set();
    this.#causes.set(cause, traces);
    traces.add(kept);
    this.#count += 1;
    this.#bytes += kept.bytes;
    const dropped: KeptTrace[] = [];
    while (this.#count > maxTraces || this.#bytes > maxBytes) dropped.push(this.#dropOne());
    return dropped;
  }

  /** The oldest of the cause that has the most. There are no more causes than runs. */
  #dropOne(): KeptTrace {
    let [cause, traces] = this.#causes.entries().next().value as [string, Set<KeptTrace>];
    for (const [other, more] of this.#causes) if (more.size > traces.size) [cause, traces] = [other, more];
    const oldest = traces.values().next().value as KeptTrace;
    traces.delete(oldest);
    if (traces.size === 0) this.#causes.delete(cause);
    this.#count -= 1;
    this.#bytes -= oldest.bytes;
    return oldest;
  }
}

// What is not answered yet has no status: its name tells it from others.
const causeOf = ({ circuit, fault, status }: KeptTrace): string =>
  JSON.stringify([circuit, status, fault?.node, fault?.code, fault?.status ?? fault?.title]);

interface Slow {
  /** The slowest first. */
  readonly traces: KeptTrace[];
  bytes: number;
  /** When the first of them began. */
  oldest: number;
}

/**
 * The slowest runs of each circuit: as many of one as of another. One that began longer ago
 * than `forMs` gives way: what was slow when the process had just begun is no news.
 */
export class SlowestShare implements Share {
  readonly #bounds: ShareBounds;
  readonly #forMs: number;
  readonly #circuits = new Map<string, Slow>();

  constructor(bounds: ShareBounds, forMs: number) {
    this.#bounds = bounds;
    this.#forMs = forMs;
  }

  /** Of one circuit. */
  get #each(): ShareBounds {
    const circuits = Math.max(1, this.#circuits.size);
    const { maxTraces, maxBytes } = this.#bounds;
    return { maxTraces: Math.floor(maxTraces / circuits), maxBytes: Math.floor(maxBytes / circuits) };
  }

  offer(kept: KeptTrace): readonly KeptTrace[] {
    const known = this.#circuits.get(kept.circuit);
    if (known === undefined) return this.#begin(kept);
    const { maxTraces } = this.#each;
    const due = kept.startedAt - this.#forMs;
    const { traces } = known;
    const fastest = traces.at(-1)?.durationUs ?? 0;
    // What nearly every run comes to.
    if (traces.length >= maxTraces && kept.durationUs <= fastest && known.oldest >= due) return [kept];
    const outdated = known.oldest < due ? traces.filter(({ startedAt }) => startedAt < due) : [];
    const left = outdated.length === 0 ? traces : traces.filter((one) => !outdated.includes(one));
    const at = left.findIndex(({ durationUs }) => durationUs < kept.durationUs);
    this.#put(known, left.toSpliced(at < 0 ? left.length : at, 0, kept));
    return [...outdated, ...this.#trim(known)];
  }

  /** A circuit that was not seen before: the others have less room from now on. */
  #begin(kept: KeptTrace): readonly KeptTrace[] {
    // With more circuits than places, those that came last have none.
    if (this.#circuits.size >= this.#bounds.maxTraces) return [kept];
    const made: Slow = { traces: [kept], bytes: kept.bytes, oldest: kept.startedAt };
    this.#circuits.set(kept.circuit, made);
    return [...this.#circuits.values()].flatMap((slow) => this.#trim(slow));
  }

  /** The slowest first, as many as there is room for. */
  #trim(slow: Slow): readonly KeptTrace[] {
    const { maxTraces, maxBytes } = this.#each;
    if (slow.traces.length <= maxTraces && slow.bytes <= maxBytes) return [];
    const left: KeptTrace[] = [];
    const dropped: KeptTrace[] = [];
    let bytes = 0;
    for (const kept of slow.traces) {
      const fits = left.length < maxTraces && bytes + kept.bytes <= maxBytes;
      (fits ? left : dropped).push(kept);
      if (fits) bytes += kept.bytes;
    }
    this.#put(slow, left);
    return dropped;
  }

  #put(slow: Slow, traces: readonly KeptTrace[]): void {
    slow.traces.splice(0, slow.traces.length, ...traces);
    slow.bytes = sumOf(traces);
    slow.oldest = Math.min(...traces.map(({ startedAt }) => startedAt));
  }
}

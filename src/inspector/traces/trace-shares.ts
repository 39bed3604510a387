// Which runs are kept longer than others. Each share has a bound of its own in number and
// bytes, so that none can push out what another keeps.

import type { KeptTrace, RunSummary } from "./kept-trace.js";

export interface ShareBounds {
  readonly maxTraces: number;
  readonly maxBytes: number;
}

/** `offer` returns the runs that it releases, the given one among them if it was not taken. */
export interface Share {
  readonly offer: (kept: KeptTrace) => readonly KeptTrace[];
}

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
    // Dropped runs are released at once, their places now and then.
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

// A fault without a response has no status: its title distinguishes it.
const causeOf = ({ circuit, fault, status }: KeptTrace): string =>
  JSON.stringify([circuit, status, fault?.node, fault?.code, fault?.status ?? fault?.title]);

interface Slow {
  /** The slowest first. */
  readonly traces: KeptTrace[];
  bytes: number;
  /** Begin of the earliest run, present or evicted. */
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
  /** The circuit of the latest query; the next query is most likely for the same one. */
  #last: { readonly circuit: string; readonly slow: Slow } | undefined;
  /** Bounds of one circuit. */
  #each: ShareBounds;

  constructor(bounds: ShareBounds, forMs: number) {
    this.#bounds = bounds;
    this.#forMs = forMs;
    this.#each = bounds;
  }

  /** Whether such a run would be taken, if there is room for its bytes. */
  wants(run: RunSummary): boolean {
    if (this.#last?.circuit !== run.circuit) {
      const slow = this.#circuits.get(run.circuit);
      if (slow === undefined) return true;
      this.#last = { circuit: run.circuit, slow };
    }
    return this.#isSlow(run, this.#last.slow);
  }

  #isSlow({ startedAt, durationUs }: RunSummary, known: Slow): boolean {
    const { traces, bytes, oldest } = known;
    const { maxTraces, maxBytes } = this.#each;
    const fastest = traces[traces.length - 1];
    const isFull = traces.length >= maxTraces || bytes + (fastest?.bytes ?? 0) > maxBytes;
    return !isFull || oldest < startedAt - this.#forMs || durationUs > (fastest?.durationUs ?? 0);
  }

  offer(kept: KeptTrace): readonly KeptTrace[] {
    const known = this.#circuits.get(kept.circuit);
    if (known === undefined) return this.#begin(kept);
    if (kept.bytes > this.#each.maxBytes || !this.#isSlow(kept, known)) return [kept];
    const due = kept.startedAt - this.#forMs;
    const { traces } = known;
    const dropped = known.oldest < due ? outdate(known, due) : [];
    traces.splice(placeOf(kept.durationUs, traces), 0, kept);
    known.bytes += kept.bytes;
    known.oldest = Math.min(known.oldest, kept.startedAt);
    return trim(known, this.#each, dropped);
  }

  /** A circuit that was not seen before: the others have less room from now on. */
  #begin(kept: KeptTrace): readonly KeptTrace[] {
    const { maxTraces, maxBytes } = this.#bounds;
    const circuits = this.#circuits.size + 1;
    // With more circuits than places, the last ones have none.
    if (circuits > maxTraces) return [kept];
    this.#circuits.set(kept.circuit, { traces: [kept], bytes: kept.bytes, oldest: kept.startedAt });
    this.#each = { maxTraces: Math.floor(maxTraces / circuits), maxBytes: Math.floor(maxBytes / circuits) };
    const dropped: KeptTrace[] = [];
    for (const slow of this.#circuits.values()) trim(slow, this.#each, dropped);
    return dropped;
  }
}

/** The index of a run by its duration, after runs of equal duration. */
function placeOf(durationUs: number, traces: readonly KeptTrace[]): number {
  let [from, to] = [0, traces.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((traces[middle] as KeptTrace).durationUs < durationUs) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Releases the runs that began before `due`. */
function outdate(slow: Slow, due: number): KeptTrace[] {
  const dropped = slow.traces.filter(({ startedAt }) => startedAt < due);
  const left = slow.traces.filter(({ startedAt }) => startedAt >= due);
  slow.traces.splice(0, slow.traces.length, ...left);
  slow.bytes = left.reduce((sum, { bytes }) => sum + bytes, 0);
  slow.oldest = Math.min(...left.map(({ startedAt }) => startedAt));
  return dropped;
}

/** The slowest stay, as many as there is room for; the others join the dropped ones. */
function trim(slow: Slow, { maxTraces, maxBytes }: ShareBounds, dropped: KeptTrace[]): readonly KeptTrace[] {
  const { traces } = slow;
  while (traces.length > maxTraces || slow.bytes > maxBytes) {
    const fastest = traces.pop() as KeptTrace;
    slow.bytes -= fastest.bytes;
    dropped.push(fastest);
  }
  return dropped;
}

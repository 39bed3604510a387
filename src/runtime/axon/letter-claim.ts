// What keeps two processes from re-driving one letter: a claim in the letter's row, or a lease for
// the run of a process that serves nothing. Both end some time after their process does.

import { randomUUID } from "node:crypto";

import type { MaybePromise } from "#core/bus/outcome-types.js";
import type { Clock } from "#core/clock.js";
import type { DeadLetterStore } from "#core/ports/dead-letter.js";
import type { RunStore } from "#core/ports/run-store.js";
import type { RunOwner } from "../kept/appended.js";

/** Time after which the letter or the run of a dead process is free. */
const CLAIM_MS = 60_000;

export interface Held {
  /** Never rejects: what could not be released expires. */
  readonly end: () => Promise<void>;
}

/** Undefined if another process has the letter, or it does not exist. */
export async function claimLetter(
  store: DeadLetterStore,
  id: string,
  clock: Clock,
): Promise<Held | undefined> {
  // Without claims in the store, one process at a time re-drives its letters.
  if (store.claim === undefined) return { end: async () => {} };
  const by = randomUUID();
  const claim = (): unknown => store.claim?.(id, by, CLAIM_MS);
  if ((await claim()) !== true) return undefined;
  return held(clock, claim, () => store.release?.(id, by));
}

/** An owner for one run, as a host is one for many. */
export async function leaseRun(store: RunStore, clock: Clock): Promise<Held & { readonly owner: RunOwner }> {
  const owner: RunOwner = {
    id: randomUUID(),
    isOver: false,
    begun: () => {},
    wrote: () => {},
    lost: () => {},
  };
  const beat = (): unknown => store.beat(owner.id, CLAIM_MS);
  await beat();
  return { owner, ...held(clock, beat, () => store.leave(owner.id)) };
}

/** Renews until it is ended. A renewal that fails is tried again with the next. */
function held(clock: Clock, renew: () => unknown, release: () => MaybePromise<void>): Held {
  let isOver = false;
  let cancel = (): void => {};
  const wait = (): void => {
    if (isOver) return;
    cancel = clock.after(CLAIM_MS / 3, () => void tried(renew).then(wait));
  };
  wait();
  return {
    end() {
      isOver = true;
      cancel();
      return tried(release);
    },
  };
}

async function tried(call: () => unknown): Promise<void> {
  try {
    await call();
  } catch {
    // It expires, or is renewed later.
  }
}

// A browser's WebSocket shows a ticket in the place of a token: it cannot send an Authorization
// header, and a token in a URL would be in logs. A ticket is good once, for TICKET_MS, and for
// the Origin that asked for it; showing it uses it up in any case. At `limit` good tickets no
// further one is made; viewers have half of them, so that they keep no operator out.

import { createHash, randomBytes } from "node:crypto";

import { type Clock, systemClock } from "#core/clock.js";
import type { InspectorRole } from "./bearer-auth.js";

export const TICKET_MS = 30_000;

const MAX_TICKETS = 256;
const ID_BYTES = 24;

export interface TicketOptions {
  /** Of both roles; viewers' are half of them at most. Default 256. */
  readonly limit?: number;
  /** Milliseconds that never go back. */
  readonly clock?: Pick<Clock, "now">;
  /** Unpredictable bytes. */
  readonly randomBytes?: (size: number) => Uint8Array;
}

interface Kept {
  readonly role: InspectorRole;
  readonly origin: string | undefined;
  readonly endsAt: number;
}

export class Tickets {
  // By their digests, in the order in which they were made and expire.
  readonly #kept = new Map<string, Kept>();
  readonly #options: Required<TicketOptions>;

  constructor(options: TicketOptions = {}) {
    this.#options = { limit: MAX_TICKETS, clock: systemClock, randomBytes, ...options };
  }

  /** Undefined at the limit. */
  issue(role: InspectorRole, origin: string | undefined): string | undefined {
    const { limit, clock } = this.#options;
    const now = clock.now();
    for (const [digest, { endsAt }] of this.#kept) {
      if (endsAt > now) break;
      this.#kept.delete(digest);
    }
    if (this.#kept.size >= limit) return undefined;
    if (role === "viewer" && this.#viewers >= Math.floor(limit / 2)) return undefined;
    const id = Buffer.from(this.#options.randomBytes(ID_BYTES)).toString("base64url");
    this.#kept.set(digestOf(id), { role, origin, endsAt: now + TICKET_MS });
    return id;
  }

  /** Uses it up. Undefined if it is refused. */
  redeem(id: string, origin: string | undefined): InspectorRole | undefined {
    const digest = digestOf(id);
    const kept = this.#kept.get(digest);
    if (kept === undefined) return undefined;
    this.#kept.delete(digest);
    // hole: a ticket would be good for another site, or for ever
    return kept.endsAt > this.#options.clock.now() && kept.origin === origin ? kept.role : undefined;
  }

  get #viewers(): number {
    let viewers = 0;
    for (const { role } of this.#kept.values()) if (role === "viewer") viewers += 1;
    return viewers;
  }

  /** Expired ones included, until the next one is issued. */
  get size(): number {
    return this.#kept.size;
  }
}

/** Looked up by digest, so that the time of a look-up says nothing of the ids. */
const digestOf = (id: string): string => createHash("sha256").update(id).digest("base64url");

import { BodyMemory, type BodyMemoryLimits, bodyMemoryOf } from "./body-memory.js";
import type { DiscardLimits } from "./discarding.js";

export interface InFlightLimits extends DiscardLimits, BodyMemoryLimits {
  readonly maxInFlight: number;
  readonly proxyProtocol: "off" | "v2";
  readonly requestIds: boolean;
}

/** Counts exchanges that outlive their handler. */
export class InFlight implements ExchangeLedger {
  /**
   * True while stopping, and with PROXY headers: the engine accepts a PROXY header before every
   * request, so a client behind a proxy could send a second one.
   */
  endsConnections: boolean;
  readonly showsIds: boolean;
  readonly discards: DiscardLimits;
  readonly bodies: BodyMemory;
  count = 0;
  #wasOpen = false;
  readonly #max: number;

  constructor(plan: InFlightLimits) {
    this.#max = plan.maxInFlight;
    this.showsIds = plan.requestIds;
    this.endsConnections = plan.proxyProtocol === "v2";
    this.discards = plan;
    this.bodies = new BodyMemory(bodyMemoryOf(plan));
  }

  get isFull(): boolean {
    return this.count >= this.#max;
  }

  /** Whether no exchange was open since the last call. */
  wasIdle(): boolean {
    const wasIdle = !this.#wasOpen;
    this.#wasOpen = this.count > 0;
    return wasIdle;
  }

  opened(): void {
    this.count += 1;
    this.#wasOpen = true;
  }

  closed(): void {
    this.count -= 1;
  }
}

export interface ExchangeLedger {
  opened(): void;
  closed(): void;
  /** Closes the connection after each response. */
  readonly endsConnections: boolean;
  /** Adds an x-request-id to each response. */
  readonly showsIds: boolean;
  /** Limits of the body bytes that are discarded before a response that closes the connection. */
  readonly discards: DiscardLimits;
  /** The memory that bodies take. */
  readonly bodies: BodyMemory;
}

const counting = {
  opened: () => {},
  closed: () => {},
  endsConnections: false,
  discards: { discardLimit: 0, discardTimeoutMs: 0 },
  bodies: new BodyMemory(0),
};
const SHOWING: ExchangeLedger = { ...counting, showsIds: true };
const SILENT: ExchangeLedger = { ...counting, showsIds: false };

/** The ledger of a long exchange, which no longer counts as in flight. */
export function uncounted(ledger: ExchangeLedger): ExchangeLedger {
  ledger.closed();
  return ledger.showsIds ? SHOWING : SILENT;
}

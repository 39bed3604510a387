import type { DiscardLimits } from "./discarding.js";

export interface InFlightLimits extends DiscardLimits {
  readonly maxInFlight: number;
  readonly proxyProtocol: "off" | "v2";
  readonly requestIds: boolean;
}

/** Counts exchanges that outlive their handler. */
export class InFlight implements ExchangeLedger {
  /**
   * True while stopping, and with PROXY headers: the engine takes one before any request, so a
   * client behind a proxy could send a second.
   */
  endsConnections: boolean;
  readonly showsIds: boolean;
  readonly discards: DiscardLimits;
  count = 0;
  #wasOpen = false;
  readonly #max: number;

  constructor(plan: InFlightLimits) {
    this.#max = plan.maxInFlight;
    this.showsIds = plan.requestIds;
    this.endsConnections = plan.proxyProtocol === "v2";
    this.discards = plan;
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
  /** Whether each response ends its connection. */
  readonly endsConnections: boolean;
  /** Whether each response has an x-request-id. */
  readonly showsIds: boolean;
  /** How much of a body is read before a response that ends the connection. */
  readonly discards: DiscardLimits;
}

const counting = {
  opened: () => {},
  closed: () => {},
  endsConnections: false,
  discards: { discardLimit: 0, discardTimeoutMs: 0 },
};
const SHOWING: ExchangeLedger = { ...counting, showsIds: true };
const SILENT: ExchangeLedger = { ...counting, showsIds: false };

/** For an exchange that lasts: it no longer counts. */
export function uncounted(ledger: ExchangeLedger): ExchangeLedger {
  ledger.closed();
  return ledger.showsIds ? SHOWING : SILENT;
}

import type { IngressPlan } from "./ingress-plan.js";

/** Counts exchanges that outlive their handler. */
export class InFlight implements ExchangeLedger {
  /**
   * True while stopping, and with PROXY headers: the engine takes one before any request, so a
   * client behind a proxy could send a second.
   */
  endsConnections: boolean;
  readonly showsIds: boolean;
  count = 0;
  readonly #max: number;

  constructor({
    maxInFlight,
    proxyProtocol,
    requestIds,
  }: Pick<IngressPlan, "maxInFlight" | "proxyProtocol" | "requestIds">) {
    this.#max = maxInFlight;
    this.showsIds = requestIds;
    this.endsConnections = proxyProtocol === "v2";
  }

  get isFull(): boolean {
    return this.count >= this.#max;
  }

  opened(): void {
    this.count += 1;
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
}

const counting = { opened: () => {}, closed: () => {}, endsConnections: false };
const SHOWING: ExchangeLedger = { ...counting, showsIds: true };
const SILENT: ExchangeLedger = { ...counting, showsIds: false };

/** For an exchange that lasts: it no longer counts. */
export function uncounted(ledger: ExchangeLedger): ExchangeLedger {
  ledger.closed();
  return ledger.showsIds ? SHOWING : SILENT;
}

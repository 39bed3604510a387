import type { ExchangeLedger } from "./native/exchange-ledger.js";

export interface InFlightRules {
  readonly maxInFlight: number;
  readonly proxyProtocol: "off" | "v2";
  readonly requestIds: boolean;
}

/** Counts the exchanges that outlive their handler. */
export class InFlight implements ExchangeLedger {
  /**
   * While a server stops; and where connections begin with a PROXY header: the engine takes
   * one before any request, so that whoever speaks through a proxy could send a second.
   */
  endsConnections: boolean;
  readonly showsIds: boolean;
  count = 0;
  readonly #max: number;

  constructor({ maxInFlight, proxyProtocol, requestIds }: InFlightRules) {
    this.#max = maxInFlight;
    this.showsIds = requestIds;
    this.endsConnections = proxyProtocol === "v2";
  }

  /** Whether no further request is to be begun. */
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

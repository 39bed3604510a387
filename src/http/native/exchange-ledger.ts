/** Told when an exchange outlives its handler, and when it has ended. */
export interface ExchangeLedger {
  opened(): void;
  closed(): void;
  /** Whether each answer is to end its connection. */
  readonly endsConnections: boolean;
  /** Whether each answer carries the request id. */
  readonly showsIds: boolean;
}

const counting = { opened: () => {}, closed: () => {}, endsConnections: false };
const SHOWING: ExchangeLedger = { ...counting, showsIds: true };
const SILENT: ExchangeLedger = { ...counting, showsIds: false };

/** Takes the place of a ledger that counts an exchange, and is to count it no more, though it goes on. */
export function uncounted(ledger: ExchangeLedger): ExchangeLedger {
  ledger.closed();
  return ledger.showsIds ? SHOWING : SILENT;
}

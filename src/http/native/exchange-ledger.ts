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

/** In the place of one that counts, for an answer that has begun. */
export const uncounted = ({ showsIds }: ExchangeLedger): ExchangeLedger => (showsIds ? SHOWING : SILENT);

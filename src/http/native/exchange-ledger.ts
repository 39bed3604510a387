/** Told when an exchange outlives its handler, and when it has ended. */
export interface ExchangeLedger {
  opened(): void;
  closed(): void;
  /** Whether each answer is to end its connection. */
  readonly endsConnections: boolean;
  /** Whether each answer carries the request id. */
  readonly showsIds: boolean;
}

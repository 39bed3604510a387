declare const payload: unique symbol;

/** A kind of event: its name and the type of its payload. Made by {@link eventKind}. */
export interface EventKind<out Name extends string, in P> {
  readonly name: Name;
  readonly [payload]?: (p: P) => void;
}

/** An event as a sink receives it. */
export interface EmittedEvent {
  readonly name: string;
  readonly payload: unknown;
}

/**
 * Receives the events of an Axon. Called synchronously while the run continues. An error that
 * it throws or rejects with is reported and never changes the run.
 */
export interface EventSink {
  readonly send: (event: EmittedEvent) => unknown;
}

/** `eventKind<Order>()("order.accepted")`: two calls, so that the name stays a literal type. */
export const eventKind =
  <P>() =>
  <const Name extends string>(name: Name): EventKind<Name, P> =>
    Object.freeze({ name });

/** Whether an event is of this kind; narrows its payload. */
export const isEvent = <P>(
  event: EmittedEvent,
  kind: EventKind<string, P>,
): event is { readonly name: string; readonly payload: P } => event.name === kind.name;

/**
 * A source of events: the counterpart of EventSink. Each event is delivered to one reader.
 * Run an Axon for each:
 *
 *     for await (const event of source) await axon.execute(event);
 */
export interface EventSource<out E> extends AsyncIterable<E> {
  /** Accepts no further events. Readers receive the queued events, then end. Idempotent. */
  readonly close: () => void;
}

declare const payload: unique symbol;

/** A kind of event: its name, and the type of what it carries. Made by {@link eventKind}. */
export interface EventKind<out Name extends string, in P> {
  readonly name: Name;
  readonly [payload]?: (p: P) => void;
}

/** What a sink is given. */
export interface EmittedEvent {
  readonly name: string;
  readonly payload: unknown;
}

/**
 * Where the events of an Axon go. Called synchronously while the run goes on;
 * what it throws or rejects with is reported and never changes the run.
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
 * Where events come from: the counterpart of EventSink. Each event goes to one
 * reader. Run an Axon for each:
 *
 *     for await (const event of source) await axon.execute(event);
 */
export interface EventSource<out E> extends AsyncIterable<E> {
  /** Takes no further events. Readers get those that are there, and then end. A second call changes nothing. */
  readonly close: () => void;
}

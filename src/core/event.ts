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

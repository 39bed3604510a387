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

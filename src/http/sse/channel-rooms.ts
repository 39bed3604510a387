// A channel in several processes: each tells the others what it publishes, as it is written.

import { type Reporter, reportAsWarning } from "#core/reporter.js";
import type { RoomBus } from "#core/room-bus.js";
import { OWN_TOPICS } from "#core/room-topics.js";
import type { EventLabels } from "./event-history.js";

type Receive = (labels: EventLabels, bytes: Uint8Array) => void;

export class ChannelRooms {
  readonly #rooms: RoomBus;
  readonly #topic: string;

  constructor(rooms: RoomBus, channel: string, receive: Receive, reporter: Reporter = reportAsWarning) {
    this.#rooms = rooms;
    // Rooms of WebSockets may share the bus.
    this.#topic = `${OWN_TOPICS}events:${channel}`;
    rooms.subscribe({
      message: (topic, message) => {
        if (topic === this.#topic) takeFrame(message, receive);
      },
      failed: (message, error) => reporter({ code: "ROOMS_FAILED", message, error }),
    });
  }

  tell({ id, event, topic }: EventLabels, text: string): void {
    this.#rooms.publish(this.#topic, `${JSON.stringify({ id, event, topic })}\n${text}`, false);
  }
}

/** JSON holds no line end: the first one ends the labels. */
function takeFrame(message: string | Uint8Array, receive: Receive): void {
  const bytes = typeof message === "string" ? Buffer.from(message) : Buffer.from(message);
  const end = bytes.indexOf("\n");
  const { id, event, topic } = JSON.parse(bytes.subarray(0, end).toString()) as EventLabels;
  receive(Object.freeze({ id, event, topic }), bytes.subarray(end + 1));
}

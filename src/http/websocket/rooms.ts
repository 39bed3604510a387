// Rooms of connections. The engine keeps topics per app, and several apps exist after a change of the
// certificate. A RoomBus joins other processes.

import type { Reporter } from "#core/bus/reporter.js";
import type { Rooms } from "#core/facts/web-socket.js";
import type { RoomBus } from "#core/ports/room-bus.js";
import { busTopicOf, roomTopicOf } from "#core/ports/room-listeners.js";
import { anyJson } from "#schema/tree/json-value.js";
import type { NativeApp, NativeWebSocket } from "../native/port.js";
import { COMPRESSED_FROM } from "../plan/web-socket-limits.js";
import { frameOf } from "./frame.js";

/** Gets the number of messages that did not arrive; undefined: it is unknown. */
export type Missed = (count: number | undefined) => void;

interface Watched {
  readonly members: Set<{ readonly missed: Missed }>;
  readonly end: () => void;
}

type TopicApp = Pick<NativeApp, "publish">;

export class IngressRooms implements Rooms {
  #apps: readonly TopicApp[] = [];
  readonly #homes = new WeakMap<NativeWebSocket, TopicApp>();
  readonly #bus: RoomBus | undefined;
  readonly #leaveBus: () => void;
  readonly #watched = new Map<string, Watched>();

  constructor(bus: RoomBus | undefined, reporter: Reporter) {
    this.#bus = bus;
    this.#leaveBus =
      bus?.subscribe({
        message: (busTopic, message, binary) => {
          const topic = roomTopicOf(busTopic);
          if (topic !== undefined) this.#tell(topic, message, binary, undefined);
        },
        failed: (message, error) => reporter({ code: "ROOMS_FAILED", message, error }),
        missed: (busTopic, count) => {
          const topic = roomTopicOf(busTopic);
          const members = topic === undefined ? undefined : this.#watched.get(topic)?.members;
          // A member may leave, or come, meanwhile.
          for (const { missed } of [...(members ?? [])]) {
            try {
              missed(count);
            } catch (error) {
              reporter({ code: "ROOMS_FAILED", message: "The missed of a subscription threw", error });
            }
          }
        },
      }) ?? (() => {});
  }

  join(app: TopicApp): void {
    if (!this.#apps.includes(app)) this.#apps = [...this.#apps, app];
  }

  leave(app: TopicApp): void {
    this.#apps = this.#apps.filter((known) => known !== app);
  }

  settle(socket: NativeWebSocket, app: TopicApp): void {
    if (this.#apps.length > 1) this.#homes.set(socket, app);
  }

  /** Calls `missed` until the returned function is called, once. A bus that finds no gaps costs nothing. */
  watch(topic: string, missed: Missed): () => void {
    const watch = this.#bus?.watch;
    if (watch === undefined) return () => {};
    let watched = this.#watched.get(topic);
    if (watched === undefined) {
      watched = { members: new Set(), end: watch(busTopicOf(topic)) };
      this.#watched.set(topic, watched);
    }
    const { members, end } = watched;
    const member = { missed };
    members.add(member);
    return () => {
      members.delete(member);
      if (members.size > 0) return;
      this.#watched.delete(topic);
      end();
    };
  }

  publish(topic: string, message: unknown): boolean {
    return this.publishFrame(topic, frameOf(message, anyJson), null);
  }

  /** Sends to all subscribers except the sender. Returns true if this process has one. */
  publishFrame(topic: string, frame: string | Uint8Array, sender: NativeWebSocket | null): boolean {
    const isBinary = typeof frame !== "string";
    let isHeard = false;
    let home: TopicApp | undefined;
    // The engine lets a connection publish only if it has a subscription. A sender outside of the
    // room need not be excluded.
    if (sender?.isSubscribed(topic) === true) {
      home = this.#homes.get(sender) ?? this.#apps[0];
      isHeard = sender.publish(topic, frame, isBinary, frame.length >= COMPRESSED_FROM);
    }
    if (this.#tell(topic, frame, isBinary, home)) isHeard = true;
    this.#bus?.publish(busTopicOf(topic), frame, isBinary);
    return isHeard;
  }

  async end(): Promise<void> {
    this.#leaveBus();
    await this.#bus?.dispose();
  }

  #tell(topic: string, frame: string | Uint8Array, isBinary: boolean, but: TopicApp | undefined): boolean {
    let isHeard = false;
    // Applies to connections that negotiated compression.
    const compress = frame.length >= COMPRESSED_FROM;
    for (const app of this.#apps)
      if (app !== but && app.publish(topic, frame, isBinary, compress)) isHeard = true;
    return isHeard;
  }
}

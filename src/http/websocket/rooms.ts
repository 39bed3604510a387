// Who hears what is published: the engine keeps topics for each app, and an ingress has
// several where it serves a new certificate beside the one whose connections go on.

import type { NativeApp, NativeWebSocket } from "../native/port.js";

/** An app as far as its topics go. */
type TopicApp = Pick<NativeApp, "publish">;

export interface Publisher {
  /** To all subscribers but the sender. Whether there is one. */
  publish(topic: string, frame: string | Uint8Array, sender: NativeWebSocket | null): boolean;
}

export class Rooms implements Publisher {
  #apps: readonly TopicApp[] = [];
  readonly #homes = new WeakMap<NativeWebSocket, TopicApp>();

  /** Has what is published reach the app's connections too. */
  join(app: TopicApp): void {
    if (!this.#apps.includes(app)) this.#apps = [...this.#apps, app];
  }

  /** Its connections are no more. */
  leave(app: TopicApp): void {
    this.#apps = this.#apps.filter((known) => known !== app);
  }

  /** The socket is one of the app's. Noted where there is another. */
  settle(socket: NativeWebSocket, app: TopicApp): void {
    if (this.#apps.length > 1) this.#homes.set(socket, app);
  }

  publish(topic: string, frame: string | Uint8Array, sender: NativeWebSocket | null): boolean {
    const isBinary = typeof frame !== "string";
    const home = sender === null ? undefined : (this.#homes.get(sender) ?? this.#apps[0]);
    let isHeard = sender?.publish(topic, frame, isBinary) ?? false;
    for (const app of this.#apps) if (app !== home && app.publish(topic, frame, isBinary)) isHeard = true;
    return isHeard;
  }
}

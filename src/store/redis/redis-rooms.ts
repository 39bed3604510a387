// Rooms of all processes, joined by the pub/sub of Redis. One connection publishes and another one
// listens, both for rooms only: a backlog of messages delays no decision about a request.
//
//   RR1. The script that publishes a message numbers it within its room: messages of a room arrive in
//        the order of their numbers, and without a gap if none was lost.
//   RR2. A beat is published and received on the path of the messages. A connection that does not
//        receive it is replaced.

import { randomBytes } from "node:crypto";

import type { RoomBus, RoomListener } from "#core/ports/room-bus.js";
import { RoomListeners } from "#core/ports/room-listeners.js";
import { roomBytes } from "#core/wire/room-bytes.js";
import { hashed, type RedisClient, type RedisConnection, type RedisScript } from "./redis-connection.js";
import { RedisLine } from "./redis-line.js";
import { NUMBERS_A_SECOND, RoomGaps } from "./room-gaps.js";

const MAX_WAITING_BYTES = 16_777_216;
const BEAT_MS = 5000;
/** Beats that may be on their way. */
const MAX_BEATS = 2;
/** Time without a message after which the counter of a room is forgotten. */
const COUNTER_MS = 86_400_000;

const PUBLISH: RedisScript = {
  name: "frameworkRoomPublish",
  keys: 1,
  lua: `
local n = redis.call('INCR', KEYS[1])
if n == 1 then
  n = redis.call('TIME')[1] * ${NUMBERS_A_SECOND} + 1
  redis.call('SET', KEYS[1], string.format('%.0f', n))
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
local number = string.format('%.0f', n)
redis.call('PUBLISH', ARGV[2], number .. ARGV[3])
return number`,
};

const MARK: RedisScript = {
  name: "frameworkRoomMark",
  keys: 1,
  lua: `redis.call('PUBLISH', ARGV[1], (redis.call('GET', KEYS[1]) or '') .. ' ' .. ARGV[2])`,
};

export interface RedisRoomsOptions {
  /** Bytes of messages that Redis has not taken yet. Default 16 MiB. */
  readonly maxWaitingBytes?: number;
  /** Interval of beats in milliseconds. Default 5000. */
  readonly beatMs?: number;
}

export class RedisRooms implements RoomBus {
  readonly #connection: RedisConnection;
  readonly #maxBytes: number;
  readonly #beatMs: number;
  readonly #id = randomBytes(9).toString("base64url");
  /** Name of the messages of all processes, and that of what comes back to this one. */
  readonly #all: string;
  readonly #own: string;
  readonly #outgoing: RedisLine;
  readonly #incoming: RedisLine;
  readonly #listeners = new RoomListeners();
  readonly #gaps = new RoomGaps((topic, count) => this.#listeners.missed(topic, count));
  #waitingBytes = 0;
  #newest: Promise<unknown> = Promise.resolve();
  #listening: Promise<void> | undefined;
  #isJoined = false;
  #beats = 0;
  #beating: NodeJS.Timeout | undefined;
  #beaten: (() => void)[] = [];
  #isDisposed = false;

  constructor(connection: RedisConnection, options: RedisRoomsOptions = {}) {
    this.#connection = connection;
    this.#maxBytes = options.maxWaitingBytes ?? MAX_WAITING_BYTES;
    this.#beatMs = options.beatMs ?? BEAT_MS;
    this.#all = connection.keyOf("rooms", "all");
    this.#own = connection.keyOf("rooms", this.#id);
    this.#outgoing = new RedisLine(connection, "rooms");
    this.#incoming = new RedisLine(connection, "rooms");
  }

  readonly publish = (topic: string, message: string | Uint8Array, binary: boolean): void => {
    if (this.#isDisposed) return;
    const bytes = roomBytes(topic, message);
    if (this.#waitingBytes + bytes > this.#maxBytes) {
      this.#listeners.lost(`Redis has not taken ${this.#maxBytes} bytes yet`);
      return;
    }
    this.#waitingBytes += bytes;
    const args = [COUNTER_MS, this.#all, frameOf(this.#id, topic, message, binary)];
    this.#newest = this.#outgoing
      .call(PUBLISH, [this.#counterOf(topic)], args)
      .then((number) => this.#gaps.sent(topic, Number(number)))
      .catch((error: unknown) => this.#listeners.lost("Redis did not take them", error))
      .finally(() => {
        this.#waitingBytes -= bytes;
      });
  };

  readonly subscribe = (listener: RoomListener): (() => void) => {
    if (this.#isDisposed) return () => {};
    this.#listening ??= this.#listen();
    return this.#listeners.add(listener);
  };

  readonly watch = (topic: string): (() => void) => {
    if (this.#isDisposed) return () => {};
    if (this.#gaps.watch(topic, this.#isJoined) && this.#isJoined) this.#mark([topic]);
    let isWatched = true;
    return () => {
      if (isWatched) this.#gaps.unwatch(topic);
      isWatched = false;
    };
  };

  /** Waits for the messages that Redis has not taken yet, for as long as a call may take. */
  readonly dispose = async (): Promise<void> => {
    this.#isDisposed = true;
    this.#listeners.clear();
    clearInterval(this.#beating);
    this.#settleBeats();
    await this.#newest;
    this.#outgoing.end();
    this.#incoming.end();
  };

  /** @internal Resolves when all messages that Redis had taken before have arrived. */
  readonly beat = async (): Promise<void> => {
    await this.#listening;
    if (this.#isDisposed) return;
    const back = new Promise<void>((resolve) => this.#beaten.push(resolve));
    await this.#outgoing.call(MARK, [this.#own], [this.#own, ""]);
    this.#beats += 1;
    await back;
  };

  async #listen(): Promise<void> {
    const client = await this.#incoming.patiently();
    if (client === undefined || this.#isDisposed) return;
    client.on("messageBuffer", (channel: Buffer, frame: Buffer) => {
      if (this.#isDisposed) return;
      if (channel.toString() === this.#own) this.#takeMark(frame);
      else this.#take(frame);
    });
    client.on("close", () => {
      this.#isJoined = false;
      this.#gaps.disconnected();
    });
    client.on("ready", () => void this.#join(client));
    this.#beating = setInterval(() => this.#tick(client), this.#beatMs).unref();
    await this.#join(client);
  }

  async #join(client: RedisClient): Promise<void> {
    try {
      await client.subscribe(this.#all, this.#own);
    } catch {
      this.#incoming.failed();
      return;
    }
    this.#isJoined = true;
    this.#beats = 0;
    this.#mark(this.#gaps.unmarked);
  }

  #tick(client: RedisClient): void {
    if (!this.#isJoined) {
      if (client.status === "ready") void this.#join(client);
      return;
    }
    if (this.#beats >= MAX_BEATS) {
      this.#beats = 0;
      client.disconnect(true);
      return;
    }
    void this.beat().catch(() => {});
    // A cluster's client goes to another node by itself, and does not say so.
    if ("nodes" in client) this.#gaps.doubt();
    this.#mark(this.#gaps.unmarked);
  }

  /** A mark that does not arrive is asked for again by the next beat. */
  #mark(topics: readonly string[]): void {
    for (const topic of topics)
      void this.#outgoing.call(MARK, [this.#counterOf(topic)], [this.#own, `${topic}!`]).catch(() => {});
  }

  #takeMark(frame: Buffer): void {
    const text = frame.toString();
    const end = text.indexOf(" ");
    if (end === text.length - 1) {
      this.#beats = 0;
      this.#settleBeats();
    } else this.#gaps.marked(text.slice(end + 1, -1), end === 0 ? undefined : Number(text.slice(0, end)));
  }

  #take(frame: Buffer): void {
    const end = frame.indexOf("\n");
    const [number, publisher, kind, length] = frame.toString("latin1", 0, end).split(" ");
    const from = end + 1 + Number(length);
    const topic = frame.toString("utf8", end + 1, from);
    this.#gaps.arrived(topic, Number(number));
    if (publisher !== this.#id) this.#listeners.tell(topic, frame.subarray(from), kind === "1");
  }

  #settleBeats(): void {
    const beaten = this.#beaten;
    this.#beaten = [];
    for (const resolve of beaten) resolve();
  }

  #counterOf(topic: string): string {
    return this.#connection.keyOf("rooms", hashed(topic));
  }
}

/** The script puts the number before it. */
function frameOf(publisher: string, topic: string, message: string | Uint8Array, binary: boolean): Buffer {
  const name = Buffer.from(topic);
  const head = Buffer.from(` ${publisher} ${binary ? 1 : 0} ${name.length}\n`);
  return Buffer.concat([head, name, typeof message === "string" ? Buffer.from(message) : message]);
}

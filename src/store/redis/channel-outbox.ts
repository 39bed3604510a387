// Events of one channel that are not in Redis yet.
//
//   CO1. One append is in flight, and the next one sends what was published meanwhile: events are
//        appended in order.
//   CO2. An append is repeated until it is answered. Its script skips events that it has appended
//        before, by their numbers, so each is in the stream once.

import type { KeptChannelEvent } from "#core/ports/channel-store.js";
import { RoomLosses } from "#core/ports/room-listeners.js";
import type { RedisScript } from "./redis-connection.js";
import { AGAIN_MS, pauseOf, type RedisLine } from "./redis-line.js";

/** Time after which the number of a process's last event is forgotten. */
const NUMBER_MS = 86_400_000;
/** Entries that a stream keeps at least: a process that is slow for a moment loses none. */
const LEAST_KEPT = 1024;
const MAX_BATCH = 256;
const MAX_BATCH_BYTES = 1_048_576;
/** Of an event beside its texts. */
const OVERHEAD = 128;

/** Each entry names the one before it. */
const APPEND: RedisScript = {
  ...{ name: "frameworkChannelAppend", keys: 2 },
  lua: `
local last = tonumber(redis.call('GET', KEYS[2]) or 0)
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local before = newest and newest[1] or '0-0'
local number = tonumber(ARGV[2])
for i = 3, #ARGV, 4 do
  if number > last then
    before = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*',
      'before', before, 'id', ARGV[i], 'event', ARGV[i + 1], 'topic', ARGV[i + 2], 'text', ARGV[i + 3])
    last = number
  end
  number = number + 1
end
redis.call('SET', KEYS[2], string.format('%.0f', last), 'PX', ${NUMBER_MS})`,
};

export class ChannelOutbox {
  readonly #line: RedisLine;
  readonly #keys: readonly string[];
  readonly #maxBytes: number;
  readonly #losses: RoomLosses;
  #waiting: KeptChannelEvent[] = [];
  #bytes = 0;
  /** Number of the first waiting event. */
  #number = 1;
  /** Entries that the stream keeps. */
  #events = 0;
  #sending: Promise<void> | undefined;
  #isEnding = false;

  /** `keys`: the stream, and the number of the last event. */
  constructor(
    line: RedisLine,
    keys: readonly string[],
    maxBytes: number,
    lost: (message: string, error?: unknown) => void,
  ) {
    this.#line = line;
    this.#keys = keys;
    this.#maxBytes = maxBytes;
    this.#losses = new RoomLosses(lost, undefined, "Events of a channel");
  }

  publish(event: KeptChannelEvent, events: number): void {
    const bytes = bytesOf(event);
    if (this.#isEnding || this.#bytes + bytes > this.#maxBytes) {
      this.#losses.add(this.#isEnding ? "it has ended" : `Redis has not taken ${this.#maxBytes} bytes yet`);
      return;
    }
    this.#bytes += bytes;
    this.#waiting.push(event);
    this.#events = Math.max(events, LEAST_KEPT);
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
  }

  /** Sends what waits, unless an append fails. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#sending;
  }

  async #send(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = batchOf(this.#waiting);
      const texts = batch.flatMap(({ id = "", event, topic, text }) => [id, event, topic, text]);
      try {
        await this.#line.call(APPEND, this.#keys, [this.#events, this.#number, ...texts]);
      } catch (error) {
        if (this.#isEnding) {
          for (const _ of this.#waiting) this.#losses.add("Redis did not take them before the end", error);
          return;
        }
        await pauseOf(AGAIN_MS);
        continue;
      }
      this.#number += batch.length;
      this.#waiting = this.#waiting.slice(batch.length);
      for (const event of batch) this.#bytes -= bytesOf(event);
    }
  }
}

/** UTF-16 units, which are at most three bytes each and mostly one. */
const bytesOf = ({ id = "", event, topic, text }: KeptChannelEvent): number =>
  id.length + event.length + topic.length + text.length + OVERHEAD;

function batchOf(waiting: readonly KeptChannelEvent[]): readonly KeptChannelEvent[] {
  let bytes = 0;
  const end = waiting.findIndex((event) => {
    bytes += bytesOf(event);
    return bytes > MAX_BATCH_BYTES;
  });
  const most = Math.min(waiting.length, MAX_BATCH);
  return waiting.slice(0, end === -1 ? most : Math.min(most, Math.max(1, end)));
}

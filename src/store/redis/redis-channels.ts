// Event channels of all processes: one stream of Redis per channel. All streams are of one slot, so that one
// connection follows them.
//
//   RC1. Each entry names the entry before it. A follower that has seen another one last has lost events.
//   RC2. A new connection may lead to a server whose newest entry is older than the last one seen, behind
//        which nothing would be read: this is checked first.

import { randomBytes } from "node:crypto";

import type {
  ChannelEntry,
  ChannelListener,
  ChannelStore,
  KeptChannelEvent,
} from "#core/ports/channel-store.js";
import { ChannelOutbox } from "./channel-outbox.js";
import { hashed, type RedisClient, type RedisConnection } from "./redis-connection.js";
import { AGAIN_MS, pauseOf, RedisLine } from "./redis-line.js";

const MAX_WAITING_BYTES = 16_777_216;
/** Longest wait for events, after which channels that were added are followed, too. */
const BLOCK_MS = 1000;
const ENTRIES_A_READ = 256;
/** Before the first entry of a stream. */
const START = "0-0";

interface Followed {
  readonly channel: string;
  readonly key: string;
  readonly events: number;
  readonly listener: ChannelListener;
  /** Id of the last entry seen; undefined: it is to begin anew. */
  last: string | undefined;
  isChecked: boolean;
}

interface Entry extends ChannelEntry {
  readonly before: string | undefined;
}

export interface RedisChannelsOptions {
  /** Size of the events of a channel that Redis has not taken yet. Default 16 MiB. */
  readonly maxWaitingBytes?: number;
}

export class RedisChannels implements ChannelStore {
  readonly #connection: RedisConnection;
  readonly #maxBytes: number;
  readonly #id = randomBytes(9).toString("base64url");
  readonly #outgoing: RedisLine;
  readonly #outboxes = new Map<string, ChannelOutbox>();
  readonly #followed = new Set<Followed>();
  /** Undefined while no channel is followed. */
  #incoming: RedisLine | undefined;

  constructor(connection: RedisConnection, options: RedisChannelsOptions = {}) {
    this.#connection = connection;
    this.#maxBytes = options.maxWaitingBytes ?? MAX_WAITING_BYTES;
    this.#outgoing = new RedisLine(connection, "channels");
  }

  readonly publish = (channel: string, event: KeptChannelEvent, events: number): void => {
    let outbox = this.#outboxes.get(channel);
    if (outbox === undefined) {
      const key = this.#keyOf(channel);
      const lost = (message: string, error?: unknown): void => {
        for (const each of this.#followed) if (each.channel === channel) each.listener.failed(message, error);
      };
      outbox = new ChannelOutbox(this.#outgoing, [key, `${key}:${this.#id}`], this.#maxBytes, lost);
      this.#outboxes.set(channel, outbox);
    }
    outbox.publish(event, events);
  };

  readonly follow = (channel: string, events: number, listener: ChannelListener): (() => void) => {
    const key = this.#keyOf(channel);
    const followed: Followed = { channel, key, events, listener, last: undefined, isChecked: true };
    this.#followed.add(followed);
    if (this.#incoming === undefined) {
      this.#incoming = new RedisLine(this.#connection, "channels", BLOCK_MS);
      void this.#read(this.#incoming);
    }
    return () => {
      this.#followed.delete(followed);
      if (this.#followed.size > 0) return;
      this.#incoming?.end();
      this.#incoming = undefined;
    };
  };

  /** Waits for events that Redis has not taken yet, for as long as a call may take. */
  readonly dispose = async (): Promise<void> => {
    await Promise.all([...this.#outboxes.values()].map((outbox) => outbox.end()));
    this.#followed.clear();
    this.#incoming?.end();
    this.#outgoing.end();
  };

  async #read(line: RedisLine): Promise<void> {
    // One that is followed only to describe an ingress connects to nothing.
    await undefined;
    const client = await line.patiently();
    let failures = 0;
    while (client !== undefined && !line.isEnded) {
      try {
        for (const followed of this.#followed) await beginning(client, followed);
        if (!line.isEnded) await this.#next(client);
        failures = 0;
      } catch {
        if (line.isEnded) return;
        failures += 1;
        // The answer is there, but late, where this process was at work for a second, as at its start.
        if (failures > 1) line.failed();
        this.#doubt();
        await pauseOf(AGAIN_MS);
      }
    }
  }

  #doubt(): void {
    for (const followed of this.#followed) followed.isChecked = false;
  }

  async #next(client: RedisClient): Promise<void> {
    const from = new Map<string, string>();
    for (const { key, last } of this.#followed) {
      const known = from.get(key);
      if (last !== undefined && (known === undefined || isBefore(last, known))) from.set(key, last);
    }
    const how = ["COUNT", ENTRIES_A_READ, "BLOCK", BLOCK_MS, "STREAMS"];
    // In lower case: replies of both protocols get one form by that name.
    const read = await client.call("xread", [...how, ...from.keys(), ...from.values()]);
    for (const [key, rows] of (read ?? []) as [string, Row[]][]) {
      const entries = rows.map(entryOf);
      for (const followed of this.#followed) if (followed.key === key) deliver(followed, entries);
    }
  }

  #keyOf(channel: string): string {
    return this.#connection.keyOf("channels", "all", `:${hashed(channel)}`);
  }
}

/** Finds out where a channel begins, unless it goes on behind its last entry (RC2). */
async function beginning(client: RedisClient, followed: Followed): Promise<void> {
  const { key, events, last, isChecked, listener } = followed;
  if (last !== undefined && isChecked) return;
  followed.isChecked = true;
  const newestOf = async (count: number): Promise<readonly Entry[]> =>
    ((await client.call("xrevrange", [key, "+", "-", "COUNT", count])) as Row[]).map(entryOf);
  if (last !== undefined && !isBefore((await newestOf(1))[0]?.id ?? START, last)) return;
  const kept = [...(await newestOf(events))].reverse();
  followed.last = kept.at(-1)?.id ?? START;
  listener.begun(kept[0]?.before ?? START, kept);
}

/** RC1: at an entry behind a gap the channel begins anew. */
function deliver(followed: Followed, entries: readonly Entry[]): void {
  for (const entry of entries) {
    const { last } = followed;
    if (last === undefined) return;
    if (!isBefore(last, entry.id)) continue;
    if (entry.before === last) {
      followed.last = entry.id;
      followed.listener.event(entry);
    } else followed.last = undefined;
  }
}

type Row = readonly [id: string, fields: readonly string[]];

function entryOf([id, fields]: Row): Entry {
  const texts = new Map<string, string>();
  for (let i = 0; i < fields.length; i += 2) texts.set(fields[i] as string, fields[i + 1] as string);
  const of = (name: string): string => texts.get(name) ?? "";
  const event = { id: of("id") || undefined, event: of("event"), topic: of("topic"), text: of("text") };
  return { id, event, before: texts.get("before") };
}

/** Ids are milliseconds and a number within them. */
function isBefore(a: string, b: string): boolean {
  const [aMs = 0, aNumber = 0] = a.split("-").map(Number);
  const [bMs = 0, bNumber = 0] = b.split("-").map(Number);
  return aMs < bMs || (aMs === bMs && aNumber < bNumber);
}

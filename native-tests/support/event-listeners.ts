import type { Report } from "#core/bus/reporter.js";
import type { StoreSet } from "#core/ports/store-set.js";
import { Timetable } from "#http/native/deadlines.js";
import type { EventSubscription } from "#http/sse/channel-client.js";
import { EventChannel } from "#http/sse/event-channel.js";
import { type EventRoute, OpenEvents } from "#http/sse/event-client.js";
import { MemoryPipe } from "./event-pipe.js";

interface ListenersOptions {
  readonly max?: number;
  readonly heartbeatMs?: number;
  readonly workers?: number;
  readonly stores?: StoreSet;
}

/** A place where channels are listened to, without a server. */
export function listeners({
  max = 10_000,
  heartbeatMs = 15_000,
  workers = 1,
  stores,
}: ListenersOptions = {}) {
  const reports: Report[] = [];
  const deadlines = new Timetable();
  const open = new OpenEvents(
    { maxEventStreams: max, workers, stores, reporter: (report) => reports.push(report) },
    deadlines,
  );
  const route: EventRoute = open.route({ axon: "events", heartbeatMs, retryMs: 1000, random: () => 0.5 });
  const connect = (subscription: EventSubscription, lastId = "", pipe = new MemoryPipe()): MemoryPipe => {
    subscription.open(pipe, route, lastId);
    return pipe;
  };
  return { open, route, reports, deadlines, connect };
}

/** A channel of numbers that keeps so many events. */
export const channelOf = (events = 1000): EventChannel<number> =>
  new EventChannel<number>({ name: "numbers", epoch: "e", history: { events } });

/** What a client was given, and that something was lost to it. */
export const seen = (pipe: MemoryPipe): readonly string[] =>
  pipe.reader.events.map(({ event, data }) => (event === "events-lost" ? "lost" : data));

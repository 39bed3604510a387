// A route of events is a route like any other: its guards, layers and identity decide
// first, and refuse as elsewhere. One step behind the Axon opens the stream.

import { FrameworkError } from "#core/errors.js";
import { guard } from "#core/guard.js";
import { header } from "#core/ingress-facts.js";
import { fault, pass } from "#core/outcome.js";
import { ProblemDetail } from "#core/problem-detail.js";
import { Reply } from "#core/reply.js";
import { transition } from "#core/transition.js";
import type { AnyAxon, OutOf } from "#runtime/axon-types.js";
import { senders } from "#runtime/instruction.js";
import type { OptionsFor, RouteOptions } from "../ingress-types.js";
import { namesOf, requireFunctions, requireKnown } from "../known-options.js";
import { Refusal } from "../refusal.js";
import { requireInteger } from "../required-integer.js";
import { ROUTE_OPTIONS } from "../route-options.js";
import { acceptsEvents } from "./accepts-events.js";
import { EventAnswer, type Subscribed } from "./event-answer.js";
import type { EventSettings } from "./event-client.js";
import { EventSubscription } from "./event-subscription.js";
import { EventWriter, type EventWriterOptions, WRITER_OPTIONS } from "./event-writer.js";
import { OpenEventsKey } from "./open-events.js";
import { type ServerEvents, SourceSubscription } from "./server-events.js";

/** What an Axon answers that is mounted with `sse`; undefined is 204, after which a client does not come back. */
export type EventFlowAnswer =
  | EventSubscription
  | ServerEvents
  | Reply<unknown>
  | ProblemDetail
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: what a step without a return answers
  | void;

/** What `schema`, `check` and `maxEventBytes` say is about an async iterable; a channel says its own. */
export interface EventOptions extends EventWriterOptions<unknown> {
  /** How often a client is sent a comment, so that nobody in between takes the connection for idle, in milliseconds. Default 15 000. */
  readonly heartbeatMs?: number;
  /** How long a client waits before it comes back, in milliseconds. Default 2000; up to three times that where all of them come back at once. */
  readonly retryMs?: number;
  /** From 0 up to 1: what spreads them. Tests pass their own. */
  readonly random?: () => number;
}

const EVENT_OPTIONS = {
  ...WRITER_OPTIONS,
  heartbeatMs: true,
  retryMs: true,
  random: true,
} as const satisfies Record<keyof EventOptions, true>;

const KNOWN = namesOf<EventOptions & RouteOptions<unknown>>({ ...EVENT_OPTIONS, ...ROUTE_OPTIONS });

/** The options of a route of events that this Axon is mounted on. */
export type EventOptionsFor<A> = EventOptions & OptionsFor<A>;

/** Of the options those that any route has. */
export type RoutePart<O> = { readonly [K in keyof O as K extends keyof EventOptions ? never : K]: O[K] };

/** `unknown` where the Axon answers what can be sent as events, else a sentence. */
export type AnswersEvents<A> = [OutOf<A>] extends [EventFlowAnswer]
  ? unknown
  : "an Axon that is mounted with sse() answers channel.subscribe(), an async iterable of events, or nothing";

const Accept = header("accept");
const LastEventId = header("last-event-id");

const NOT_ACCEPTABLE = fault(
  new Refusal("NOT_ACCEPTABLE", {
    detail: "There is text/event-stream here, which the Accept header leaves out",
  }),
);

/** Before the Axon: who cannot read events is not to be subscribed to any. */
const acceptsEventsGuard = guard({
  name: "AcceptsEvents",
  description: "text/event-stream",
  mayRead: [Accept],
  run: (input, bus) => (acceptsEvents(bus.find(Accept)) ? pass(input) : NOT_ACCEPTABLE),
});

/** What is mounted in the Axon's place. Throws CONFIG_INVALID, SCHEMA_INVALID, SCHEMA_UNSUPPORTED. */
export function eventRoute(
  path: string,
  axon: AnyAxon,
  given: EventOptionsFor<AnyAxon> = {},
): { readonly axon: AnyAxon; readonly options: RouteOptions<unknown> } {
  const where = `sse('${path}')`;
  requireKnown(where, given, KNOWN);
  requireFunctions(where, given, ["random"]);
  const { schema: _schema, check: _check, maxEventBytes: _maxEventBytes, ...others } = given;
  const { heartbeatMs = 15_000, retryMs = 2000, random = Math.random, ...options } = others;
  requireInteger(`heartbeatMs of ${where}`, heartbeatMs, 250, 3_600_000);
  requireInteger(`retryMs of ${where}`, retryMs, 0, 3_600_000);
  const writer = new EventWriter(where, given);
  return {
    axon: opened(axon, { axon: axon.definition.name, writer, heartbeatMs, retryMs, random }),
    options: { ...options, guards: [...(options.guards ?? []), acceptsEventsGuard] },
  };
}

interface WritingSettings extends EventSettings {
  readonly writer: EventWriter;
}

function opened(axon: AnyAxon, settings: WritingSettings): AnyAxon {
  const open = transition({
    name: "open events",
    reads: [OpenEventsKey],
    mayRead: [LastEventId],
    run: (answer: EventFlowAnswer, bus) => {
      if (answer === undefined || answer instanceof Reply || answer instanceof ProblemDetail) return answer;
      const route = bus.get(OpenEventsKey).route(settings);
      return new EventAnswer(subscribed(answer, settings), route, bus.find(LastEventId) ?? "");
    },
  });
  // Whoever has gone meanwhile: the source is there, and has to be let go of.
  senders.add(open);
  return axon.then(open);
}

function subscribed(answer: EventSubscription | ServerEvents, { axon, writer }: WritingSettings): Subscribed {
  if (answer instanceof EventSubscription) return answer;
  if (typeof answer === "function" || Symbol.asyncIterator in Object(answer))
    return new SourceSubscription(answer, writer);
  throw new FrameworkError(
    "RESPONSE_INVALID",
    `Axon '${axon}' is mounted with sse() and answered no events: answer channel.subscribe(), an async iterable, or nothing`,
  );
}

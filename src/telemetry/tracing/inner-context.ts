// OpenTelemetry for runs that no exporter wants: spans made in a step find it by the active context,
// and are recorded, never sent.

import { AsyncLocalStorage } from "node:async_hooks";
import type { Context, ContextManager } from "@opentelemetry/api";
import type { SamplingDecision } from "@opentelemetry/sdk-trace";

import { FrameworkError } from "#core/errors.js";
import type { NodeSpan, Recorder, TracedRun } from "#core/timeline/recorder.js";
import { InnerSpanProcessor, isPlaced, RunPlaces } from "./inner-places.js";
import { spanPackages, type TracingPackages } from "./packages.js";
import { isOwnProvider, publish } from "./published-provider.js";
import { traceIds } from "./trace-ids.js";

type Api = TracingPackages["api"];

const DROP = 0 as SamplingDecision;
const RECORD = 1 as SamplingDecision;

/** Of the Inspectors of this process, which share what is registered. */
let users = 0;
let registered: { readonly api: Api; undo(): void } | undefined;

/** Follows the spans of the runs that it is told of, while it is started. */
export class InnerContext {
  readonly recorder: Recorder;
  readonly #runs = new Map<number, RunContext>();

  constructor() {
    this.recorder = {
      span: (run, node) => {
        const known = this.#runs.get(run.id) ?? new RunContext(run);
        this.#runs.set(run.id, known);
        return known.enter(node);
      },
      ended: ({ id }) => {
        this.#runs.get(id)?.places.close();
        this.#runs.delete(id);
      },
    };
  }

  /** Registers a context manager and a tracer provider. Returns how to end it. Throws TELEMETRY_UNAVAILABLE and CONFIG_INVALID. */
  start(): () => void {
    registered ??= register();
    users += 1;
    return () => {
      users -= 1;
      if (users > 0) return;
      registered?.undo();
      registered = undefined;
    };
  }
}

function register(): NonNullable<typeof registered> {
  const { api, sdk } = spanPackages();
  const provider = new sdk.TracerProvider({
    sampler: {
      shouldSample: (context) => {
        const parent = api.trace.getSpanContext(context)?.spanId ?? "";
        return { decision: isPlaced(parent) ? RECORD : DROP };
      },
    },
    spanProcessors: [new InnerSpanProcessor()],
  });
  const isOwn = publish(api, provider).isPublished;
  if (!isOwn && !isOwnProvider(api))
    throw new FrameworkError(
      "CONFIG_INVALID",
      "inspector({ spans }): the program has registered a tracer provider of its own, whose spans are not seen here: leave out spans, or let the framework send them (telemetry.otlp_endpoint)",
    );
  // False if the program has one: then its own serves.
  const isManaging = api.context.setGlobalContextManager(new Contexts(api.ROOT_CONTEXT));
  return {
    api,
    undo: () => {
      if (isManaging) api.context.disable();
      if (isOwn) api.trace.disable();
    },
  };
}

/** One run, with the ids of its nodes. */
class RunContext {
  readonly places: RunPlaces;
  readonly #traceId = traceIds.trace();

  constructor(run: TracedRun) {
    this.places = new RunPlaces(run);
  }

  enter(node: string): NodeSpan {
    const spanId = traceIds.span();
    this.places.put(spanId, node);
    const visit: NodeSpan = {
      placeIn: (given) => given && { ...given, spanId },
      run: (call) => this.#run(spanId, call),
      tried: () => visit,
      failed() {},
      branched() {},
      worked() {},
      left() {},
    };
    return visit;
  }

  #run<T>(spanId: string, call: () => T): T {
    if (registered === undefined) return call();
    const { context, trace, ROOT_CONTEXT } = registered.api;
    const active = context.active();
    const there = trace.getSpanContext(active);
    // An active context of another run is not extended.
    const base = there === undefined || there.traceId === this.#traceId ? active : ROOT_CONTEXT;
    const place = { traceId: this.#traceId, spanId, traceFlags: 0 };
    return context.with(trace.setSpanContext(base, place), call);
  }
}

/** The active context follows promises and callbacks. */
class Contexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();
  readonly #root: Context;

  constructor(root: Context) {
    this.#root = root;
  }

  active(): Context {
    return this.#storage.getStore() ?? this.#root;
  }

  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    context: Context,
    call: F,
    self?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.#storage.run(context, () => Reflect.apply(call, self, args));
  }

  bind<T>(context: Context, target: T): T {
    if (typeof target !== "function") return target;
    const storage = this.#storage;
    return new Proxy(target, {
      apply: (call, self, args) => storage.run(context, () => Reflect.apply(call, self, args)),
    });
  }

  enable(): this {
    return this;
  }

  disable(): this {
    this.#storage.disable();
    return this;
  }
}

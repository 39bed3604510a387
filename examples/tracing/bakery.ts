// A step that makes a span by OpenTelemetry's interface, below its own.
// Without an endpoint for traces it makes none.

import { ROOT_CONTEXT, TraceFlags, trace } from "@opentelemetry/api";

import { Axon, Framework, type FrameworkConfig, path, TraceContext, Type } from "framework";

const tracer = trace.getTracer("bakery");

const Baking = Type.Object({ loaves: Type.Integer({ minimum: 1 }) });

const bake = Axon.start("bake", Baking).thenFn(
  "bake",
  { uses: { trace: TraceContext } },
  ({ loaves }, bus) => {
    const { traceId, spanId, sampled } = bus.trace;
    const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
    const step = trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags });

    const heating = tracer.startSpan("heat the oven", { attributes: { degrees: 220 } }, step);
    heating.end();
    return { loaves };
  },
);

/** With a configuration that names an endpoint, requests and their ovens are seen there. */
export const bakery = (config: FrameworkConfig) =>
  Framework.http()
    .config(config)
    .post("/loaves/:loaves", bake, { input: path(Baking) });

// A step that makes a span by OpenTelemetry's interface, below its own.
// Without an endpoint for traces it makes none.

import { ROOT_CONTEXT, TraceFlags, trace } from "@opentelemetry/api";

import { Axon, Framework, type FrameworkConfig, param, TraceContext } from "framework";

const tracer = trace.getTracer("bakery");

const bake = Axon.start("bake").thenFn(
  "bake",
  (_, bus) => {
    const { traceId, spanId, sampled } = bus.get(TraceContext);
    const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
    const step = trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags });

    const heating = tracer.startSpan("heat the oven", { attributes: { degrees: 220 } }, step);
    const loaves = Number.parseInt(bus.get(param("loaves")), 10);
    heating.end();
    return { loaves };
  },
  { reads: [TraceContext, param("loaves")] },
);

/** With a configuration that names an endpoint, requests and their ovens are seen there. */
export const bakery = (config: FrameworkConfig) =>
  Framework.http().config(config).post("/loaves/:loaves", bake);

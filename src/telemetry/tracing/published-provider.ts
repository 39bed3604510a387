// The tracer provider that the process has registered with OpenTelemetry's global API. A file of its
// own: declarations of tracing.ts are public, and must not import those of an optional peer.

import type { TracerProvider } from "@opentelemetry/api";

import type { TracingPackages } from "./packages.js";

const published = new WeakSet<TracerProvider>();

/**
 * Registers the provider globally, unless the program has registered one. The API exists twice: its
 * `require` copy is used by the SDK, its `import` copy by programs. A tracer obtained earlier is
 * bound to the copy it came from, so the provider is registered with both.
 */
export function publish(
  api: TracingPackages["api"],
  provider: TracerProvider,
): { readonly isPublished: boolean; readonly done: Promise<void> } {
  const isPublished = api.trace.setGlobalTracerProvider(provider);
  published.add(provider);
  return { isPublished, done: isPublished ? publishImported(api, provider) : Promise.resolve() };
}

async function publishImported(api: TracingPackages["api"], provider: TracerProvider): Promise<void> {
  try {
    const { trace } = await import("@opentelemetry/api");
    api.trace.disable();
    trace.setGlobalTracerProvider(provider);
  } catch {
    // Without the other copy, the first serves all later callers.
  }
}

/** Whether the provider that OpenTelemetry's global API returns is of this package. */
export function isOwnProvider(api: TracingPackages["api"]): boolean {
  const given: TracerProvider & { getDelegate?(): TracerProvider } = api.trace.getTracerProvider();
  return published.has(given.getDelegate?.() ?? given);
}

import { Copy } from "./copy.js";

/** Of a trace that telemetry keeps elsewhere; nothing where it keeps none. */
export function TraceId({ id }: { readonly id: string | null }) {
  if (id === null) return null;
  return (
    <span>
      Trace <code>{id}</code>
      <Copy text={id} what="the trace's id" />
    </span>
  );
}

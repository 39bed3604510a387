import { Copy } from "./copy.js";

/** Id of a trace exported by telemetry; renders nothing without one. */
export function TraceId({ id }: { readonly id: string | null }) {
  if (id === null) return null;
  return (
    <span>
      Trace <code>{id}</code>
      <Copy text={id} what="the trace's id" />
    </span>
  );
}

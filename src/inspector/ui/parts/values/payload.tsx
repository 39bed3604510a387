import type { Payload as PayloadData } from "../../../api/traces.js";
import { Json } from "./json.js";

/** A captured value, as far as the server shows it. */
export function Payload({ payload, what }: { readonly payload: PayloadData; readonly what: string }) {
  switch (payload.kind) {
    case "off":
      return (
        <p class="dim">
          Not captured: <code>inspector.capture_payloads</code> is off, or the run was only counted.
        </p>
      );
    case "hash":
      return (
        <p>
          <code>{payload.hash}</code> <span class="dim">(hash; equal values have equal hashes)</span>
        </p>
      );
    case "full":
      return (
        <>
          <Json value={payload.value} what={what} />
          {payload.is_cut && <p class="strong">Truncated: larger than the Inspector stores.</p>}
        </>
      );
  }
}

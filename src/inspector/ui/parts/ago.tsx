import { absolute, ago } from "../format/moment.js";
import { now } from "../state/now.js";
import { useStore } from "../state/store.js";

/** Relative time; the absolute time on hover. */
export function Ago({ at }: { readonly at: number }) {
  const text = useStore(now, (ms) => ago(at, ms));
  return (
    <time dateTime={new Date(at).toISOString()} title={absolute(at)}>
      {text}
    </time>
  );
}

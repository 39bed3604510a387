import { absolute, ago, ahead } from "../format/moment.js";
import { now } from "../state/now.js";
import { useStore } from "../state/store.js";

/** Relative time; the absolute time on hover. */
export function Ago({ at }: { readonly at: number }) {
  return <Moment at={at} text={useStore(now, (ms) => ago(at, ms))} />;
}

/** Time until a moment; the absolute time on hover. */
export function Ahead({ at }: { readonly at: number }) {
  return <Moment at={at} text={useStore(now, (ms) => ahead(at, ms))} />;
}

function Moment({ at, text }: { readonly at: number; readonly text: string }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={absolute(at)}>
      {text}
    </time>
  );
}

import { absolute, ago, ahead } from "../format/moment.js";
import { now } from "../state/now.js";
import { useStore } from "../state/store.js";

/** Relative time; the absolute time on hover. */
export function Ago({ at }: { readonly at: number }) {
  return <Moment at={at} text={useStore(now, (ms) => ago(at, ms))} />;
}

/** A moment that comes: the time on the clock, and how far it is. */
export function Until({ at, isShort }: { readonly at: number; readonly isShort: boolean }) {
  const text = useStore(now, (ms) => ahead(at, ms));
  return <Moment at={at} text={isShort ? text : `${absolute(at).slice(0, 16)} (${text})`} />;
}

function Moment({ at, text }: { readonly at: number; readonly text: string }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={absolute(at)}>
      {text}
    </time>
  );
}

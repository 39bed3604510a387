// What a stored run waits for, and until when.

import type { KeptRun } from "../../../api/runs.js";
import { Until } from "../../parts/ago.js";
import { Link } from "../../parts/link.js";

interface WaitProps {
  readonly wait: NonNullable<KeptRun["wait"]>;
}

/** Short where there is little room: the time on hover. */
export function Waits({ wait: { signals, until }, isShort }: WaitProps & { readonly isShort?: boolean }) {
  return (
    <span class="waits">
      {signals.map((name, n) => (
        <span key={name}>
          {n > 0 && " or "}
          <Signal name={name} />
        </span>
      ))}
      {until !== null && (
        <>
          {signals.length > 0 && (isShort === true ? ", " : ", until ")}
          <Until at={until} isShort={isShort === true} />
        </>
      )}
      {signals.length === 0 && until === null && "its turn"}
    </span>
  );
}

/** At its beginning, and within. */
const FOR_SIGNALS = ["Waits for", "waits for"] as const;
const FOR_TIME = ["Sleeps until", "sleeps until"] as const;

/** In a sentence: "waits for approved, at most in 2 h". */
export const WaitsFor = ({ wait, isFirst }: WaitProps & { readonly isFirst?: boolean }) => (
  <>
    {(wait.signals.length > 0 ? FOR_SIGNALS : FOR_TIME)[isFirst === true ? 0 : 1]} <Waits wait={wait} />
  </>
);

type Woken = NonNullable<KeptRun["entries"][number]["woken"]>;

export const WokenBy = ({ woken: { signal, actor, id } }: { readonly woken: Woken }) =>
  signal === null ? (
    <>time passed, at</>
  ) : (
    <span title={id ?? undefined}>
      got <Signal name={signal} />
      {actor !== null && ` from ${actor}`}, at
    </span>
  );

/** The end of another run is a signal of its id. */
function Signal({ name }: { readonly name: string }) {
  if (!name.startsWith("run:")) return <code>{name}</code>;
  const id = name.slice(4);
  return (
    <Link path={["kept", id]} class="mono" title={`The end of run ${id}`}>
      {id}
    </Link>
  );
}

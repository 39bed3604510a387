// What a stored run waits for, and until when.

import type { KeptRun } from "../../../api/runs.js";
import { Until } from "../../parts/ago.js";
import { Link } from "../../parts/link.js";

export function Waits({ wait: { signals, until } }: { readonly wait: NonNullable<KeptRun["wait"]> }) {
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
          {signals.length > 0 && ", until "}
          <Until at={until} />
        </>
      )}
      {signals.length === 0 && until === null && "its turn"}
    </span>
  );
}

/** In a sentence: "waits for approved, at most in 2 h". */
export const WaitsFor = ({ wait }: { readonly wait: NonNullable<KeptRun["wait"]> }) => (
  <>
    {wait.signals.length > 0 ? "waits for " : "sleeps until "}
    <Waits wait={wait} />
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
export function Signal({ name }: { readonly name: string }) {
  if (!name.startsWith("run:")) return <code>{name}</code>;
  const id = name.slice(4);
  return (
    <Link path={["kept", id]} class="mono" title={`The end of run ${id}`}>
      {id}
    </Link>
  );
}

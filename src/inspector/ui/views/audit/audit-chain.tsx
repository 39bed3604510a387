// The audit log's hash chain: whether it is intact, how far it is proved, and where it breaks.

import type { ComponentChildren } from "preact";

import { type AuditData, api } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { duration } from "../../format/duration.js";
import { absolute } from "../../format/moment.js";
import { counted } from "../../format/quantity.js";
import { Ago } from "../../parts/ago.js";
import { Empty, Loading, Wrong } from "../../parts/notice.js";

type Result = NonNullable<AuditData["result"]>;
type Mark = NonNullable<Result["newest"]>;

/** Verifies the whole log: only asked for here. */
export function AuditChain() {
  const { value, problem, reload } = useResource("audit", api.audit, 5000);
  return (
    <>
      {problem !== undefined && <Wrong problem={problem} onAgain={reload} />}
      {value === undefined && problem === undefined && <Loading what="the chain's status" />}
      {value !== undefined && <code class="dim">{value.log}</code>}
      {value !== undefined && <Chain status={value} />}
    </>
  );
}

function Chain({ status: { state, events_read, result } }: { readonly status: AuditData }) {
  return (
    <>
      {state === "running" && (
        <p role="status">
          Verifying{events_read > 0 && `: more than ${counted(events_read, "event")} read`}…
        </p>
      )}
      {result?.is_sound && result.events === 0 && (
        <Empty title="No audit events">
          AuditLog steps, interventions, and operators' actions on this page are recorded here.
        </Empty>
      )}
      {result !== null && (!result.is_sound || result.events > 0) && (
        <>
          <Verdict result={result} />
          <Facts result={result} />
          {result.notes.map((note) => (
            <p key={note} class="dim">
              {note}
            </p>
          ))}
          {result.failures.length > 0 && <Failures result={result} />}
        </>
      )}
    </>
  );
}

function Verdict({ result }: { readonly result: Result }) {
  const { is_sound, is_signed, failure_count, anchored } = result;
  const [tone, title, says] = !is_sound
    ? ([
        "fault",
        "Broken",
        `${counted(failure_count, "failure")}: the stored log differs from what was written.`,
      ] as const)
    : !is_signed
      ? ([
          "unsigned",
          "Unsigned",
          "Hashes match. Only signed checkpoints detect a rewritten chain: sign the log, and pass inspector({ audit: { keys } }).",
        ] as const)
      : ([
          "sound",
          "Intact",
          anchored === null
            ? "Hashes and signatures match. Without an anchor, a rollback of the whole log is not detected."
            : "Hashes, signatures and the anchor match.",
        ] as const);
  return (
    <section class={`verdict ${tone}`} aria-label="Status of the chain">
      <h2>
        <span class="sign" aria-hidden="true">
          {tone === "sound" ? "✓" : "!"}
        </span>
        {title}
      </h2>
      <p>{says}</p>
    </section>
  );
}

function Facts({ result }: { readonly result: Result }) {
  const { verified_at, duration_ms, events, checkpoints, newest, anchored, behind, is_signed } = result;
  return (
    <table class="facts" aria-label="Verification">
      <tbody>
        <Row name="Verified">
          <Ago at={verified_at} />, in {duration(duration_ms * 1000)}
        </Row>
        <Row name="Events">{events.toLocaleString("en")}</Row>
        <Row name="Checkpoints">
          {checkpoints.toLocaleString("en")}
          {!is_signed && checkpoints > 0 && <span class="dim">, signatures not verified</span>}
        </Row>
        <Row name="Newest checkpoint">
          <Checkpoint mark={newest} />
        </Row>
        <Row name="Newest at the anchor">
          <Checkpoint mark={anchored} />
        </Row>
        <Row name="Events behind">
          {behind.toLocaleString("en")}
          {is_signed && (
            <span class="dim"> {behind === 0 ? "all events are protected" : "not yet protected"}</span>
          )}
        </Row>
      </tbody>
    </table>
  );
}

function Checkpoint({ mark }: { readonly mark: Mark | null }) {
  if (mark === null) return <span class="dim">none</span>;
  const at = Date.parse(mark.timestamp);
  return (
    <>
      {mark.number}, up to event {mark.last.toLocaleString("en")},{" "}
      {Number.isNaN(at) ? (
        mark.timestamp
      ) : (
        <span title={absolute(at)}>
          <Ago at={at} />
        </span>
      )}
    </>
  );
}

function Failures({ result: { failures, failure_count } }: { readonly result: Result }) {
  const more = failure_count - failures.length;
  return (
    <section aria-label="Failures">
      <h2>Failures</h2>
      <div class="wide">
        <table class="failures" aria-label="Failures">
          <thead>
            <tr>
              <th scope="col">Position</th>
              <th scope="col">Kind</th>
              <th scope="col">Message</th>
            </tr>
          </thead>
          <tbody>
            {failures.map(({ kind, position, checkpoint, message }, n) => (
              <tr key={n}>
                <td class="mono">{placeOf(position, checkpoint)}</td>
                <td class="fault">{kind}</td>
                <td>{message}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more > 0 && (
        <p class="dim">{counted(more, "more failure")}: run framework audit verify to list all.</p>
      )}
    </section>
  );
}

const placeOf = (position: number | null, checkpoint: number | null): string =>
  position !== null ? String(position) : checkpoint !== null ? `checkpoint ${checkpoint}` : "–";

function Row({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{children}</td>
    </tr>
  );
}

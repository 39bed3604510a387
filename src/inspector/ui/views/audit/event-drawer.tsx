import type { ShownAuditEvent } from "../../../api/audit.js";
import { Drawer } from "../../parts/drawer.js";
import { Link } from "../../parts/link.js";
import { RunLink } from "../../parts/run-link.js";
import { Copy } from "../../parts/values/copy.js";
import { Json } from "../../parts/values/json.js";
import { RecordedText } from "./recorded-text.js";

export interface EventDrawerProps {
  readonly shown: ShownAuditEvent;
  onClose(): void;
}

export function EventDrawer({ shown: { position, event, problem }, onClose }: EventDrawerProps) {
  const title = event === null ? `Event ${position}` : event.action;
  return (
    <Drawer label={`Audit event ${position}`} title={title} onClose={onClose}>
      {problem !== null && (
        <section>
          <p class="fault">
            <strong>{problem}.</strong> <Link path={["audit", "chain"]}>Verify the chain</Link>
          </p>
        </section>
      )}
      {event !== null && <Members event={event} position={position} />}
    </Drawer>
  );
}

type Event = NonNullable<ShownAuditEvent["event"]>;

const FILTERED = ["actor", "action", "target"] as const;

function Members({ event, position }: { readonly event: Event; readonly position: number }) {
  const { id, timestamp, intent, metadata, is_cut } = event;
  const runId = runIdIn(metadata);
  return (
    <>
      <section>
        <dl class="members">
          {FILTERED.map((name) => (
            <div key={name}>
              <dt class="dim">{name}</dt>
              <dd>
                <RecordedText text={event[name]} />{" "}
                <Link path={["audit"]} params={{ [name]: event[name] }}>
                  all with this {name}
                </Link>
              </dd>
            </div>
          ))}
          {intent !== null && (
            <div>
              <dt class="dim">intent</dt>
              <dd>
                <RecordedText text={intent} />
              </dd>
            </div>
          )}
          <div>
            <dt class="dim">time</dt>
            <dd class="mono">
              <RecordedText text={timestamp} />
            </dd>
          </div>
          <div>
            <dt class="dim">position</dt>
            <dd class="mono">{position}</dd>
          </div>
          <div>
            <dt class="dim">id</dt>
            <dd class="mono">
              <RecordedText text={id} /> <Copy text={id} what="the event's id" />
            </dd>
          </div>
        </dl>
        {runId !== null && (
          <p>
            <RunLink id={runId}>Run</RunLink>{" "}
            <Link path={["audit"]} params={{ run: runId }}>
              all with this run
            </Link>
          </p>
        )}
      </section>
      <section>
        <h3>Metadata</h3>
        <Json value={metadata} what="the metadata" />
        {is_cut && <p class="strong">Truncated: larger than this page shows.</p>}
      </section>
    </>
  );
}

function runIdIn(metadata: unknown): string | null {
  const { run_id } = (typeof metadata === "object" ? metadata : null) as { run_id?: unknown };
  return typeof run_id === "string" && run_id !== "" ? run_id : null;
}

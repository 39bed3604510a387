// A held run: its remaining time, its input, and the actions on it.

import { useMemo, useState } from "preact/hooks";
import type { PausedRun } from "../../../api/breakpoints.js";
import { api } from "../../client/api.js";
import { left } from "../../format/moment.js";
import { nodeName } from "../../format/node-name.js";
import { prettyJson } from "../../json/json-tokens.js";
import { AskOnce } from "../../parts/ask-once.js";
import { AuditLink } from "../../parts/audit-link.js";
import { Bar } from "../../parts/charts/bar.js";
import { NodeLink } from "../../parts/node-link.js";
import { Payload } from "../../parts/values/payload.js";
import { paused } from "../../state/live.js";
import { now } from "../../state/now.js";
import { useStore } from "../../state/store.js";
import { HeldPlace, type ReleasedRun } from "./held-place.js";

export interface HeldRunProps {
  readonly run: PausedRun;
  onReleased(released: ReleasedRun): void;
}

export function HeldRun({ run, onReleased }: HeldRunProps) {
  const { id, run_id, circuit, node_id, input, input_schema, request } = run;
  const name = nodeName(node_id);
  const original = useMemo(() => (input.kind === "full" ? prettyJson(input.value) : ""), [input]);
  const [text, setText] = useState(original);
  const edit = editOf(text, original);
  const isEdited = edit.kind !== "none";

  const release = async (how: "resume" | "step" | "abort") => {
    await api.release(id, how, edit.kind === "edited" && how !== "abort" ? { input: edit.value } : undefined);
    // The feed reports it as well, if it is connected.
    paused.set((all) => all.filter((one) => one.id !== id));
    onReleased({ run_id, how });
  };
  const withInput = isEdited ? "with the edited input" : "with its original input";
  return (
    <article class="held-run" aria-label={`Run ${run_id} held at ${name}`}>
      <header>
        <strong class="held">
          Held at <NodeLink circuit={circuit} node={node_id} />
        </strong>
        <span>{request === null ? circuit : `${request.method} ${request.path}`}</span>
        <code>{run_id}</code>
        <AuditLink of={{ run: run_id }} />
        <TimeLeft run={run} />
      </header>
      <HeldPlace {...run} />
      {input.kind !== "full" ? (
        <>
          <p>
            The payload is not captured and cannot be edited: <code>inspector.capture_payloads</code> is not{" "}
            <code>"full"</code>.
          </p>
          {input.kind === "hash" && <Payload payload={input} what="the input" />}
        </>
      ) : (
        <label class="editor">
          <span class="dim">
            Input{isEdited && " (edited)"}
            {input.is_cut && ", truncated: not editable"}
            {input_schema === null && !input.is_cut && ". No schema: any JSON is accepted"}
          </span>
          <textarea
            class="mono"
            aria-label={`Input of ${name}`}
            spellcheck={false}
            readOnly={input.is_cut}
            rows={Math.min(14, Math.max(3, text.split("\n").length))}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
      )}
      {edit.kind === "wrong" && (
        <p class="fault" role="alert">
          {edit.message}
        </p>
      )}
      <footer>
        <AskOnce
          class="primary"
          disabled={edit.kind === "wrong"}
          says={`Resume the run ${withInput}?`}
          act={() => release("resume")}
        >
          Resume
        </AskOnce>
        <AskOnce
          disabled={edit.kind === "wrong"}
          says={`Run ${name} ${withInput}, then hold at the next node?`}
          act={() => release("step")}
        >
          Step
        </AskOnce>
        <AskOnce says="Abort the run? The client gets an error." act={() => release("abort")}>
          Abort
        </AskOnce>
        {isEdited && (
          <button type="button" class="plain" onClick={() => setText(original)}>
            Revert
          </button>
        )}
      </footer>
    </article>
  );
}

function TimeLeft({ run: { since, until } }: { readonly run: PausedRun }) {
  // The clock on screen may be a second behind: never show more than the initial time.
  const ms = Math.max(since, useStore(now));
  return (
    <span class="time-left" title="Resumes automatically after this time">
      <Bar value={Math.max(0, until - ms)} scale={until - since} tone="held" />
      <span class="held">{left(until, ms)} left</span>
    </span>
  );
}

type Edit =
  | { readonly kind: "none" }
  | { readonly kind: "edited"; readonly value: unknown }
  | { readonly kind: "wrong"; readonly message: string };

function editOf(text: string, original: string): Edit {
  if (text === original) return { kind: "none" };
  try {
    return { kind: "edited", value: JSON.parse(text) };
  } catch (error) {
    return { kind: "wrong", message: `Invalid JSON: ${(error as Error).message}` };
  }
}

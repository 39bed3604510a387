// Sends a signal to a run that waits, or ends the time for which it waits.

import { useState } from "preact/hooks";

import type { KeptRun } from "../../../api/runs.js";
import { api, type SignalledData } from "../../client/api.js";
import type { Problem } from "../../client/problem.js";
import { AskOnce } from "../../parts/ask-once.js";

/** Texts for the results of a signal. */
const SIGNALLED: Readonly<Record<SignalledData["result"], string>> = {
  woken: "Sent. The run continues.",
  kept: "Kept until the run waits for it.",
  known: "Sent before.",
};

export interface WaitActionsProps {
  readonly run: KeptRun;
  readonly wait: NonNullable<KeptRun["wait"]>;
  onDone(says: string): void;
  onProblem(problem: Problem): void;
}

export function WaitActions({
  run: { run_id },
  wait: { signals, until },
  onDone,
  onProblem,
}: WaitActionsProps) {
  // The end of another run comes from that run.
  const names = signals.filter((name) => !name.startsWith("run:"));
  const [chosen, setChosen] = useState("");
  const [text, setText] = useState("");
  const name = names.includes(chosen) ? chosen : names[0];
  const payload = parsed(text);
  return (
    <>
      {name !== undefined && (
        <span class="signal" role="group" aria-label="Send a signal">
          <select
            aria-label="Signal"
            value={name}
            onChange={({ currentTarget }) => setChosen(currentTarget.value)}
          >
            {names.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
          <textarea
            class="mono"
            rows={1}
            spellcheck={false}
            aria-label="Payload, as JSON"
            placeholder="payload, as JSON"
            aria-invalid={text !== "" && payload === undefined}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          <AskOnce
            class="primary"
            says={`Send '${name}'? The run takes it and continues.`}
            disabled={payload === undefined}
            act={async () => {
              const { result, signal_id } = await api.signalRun(run_id, { name, payload: payload?.value });
              onDone(`${SIGNALLED[result]} Signal ${signal_id}.`);
            }}
            onProblem={onProblem}
          >
            Send signal
          </AskOnce>
        </span>
      )}
      {until !== null && (
        <AskOnce
          says={signals.length === 0 ? "End the sleep now?" : "End the wait now, as if its time had passed?"}
          act={async () => {
            await api.wakeRun(run_id);
            onDone("Woken. The run continues.");
          }}
          onProblem={onProblem}
        >
          Wake
        </AskOnce>
      )}
    </>
  );
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

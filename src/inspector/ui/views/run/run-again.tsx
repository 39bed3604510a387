// Runs a run again from one of its steps, for operators.

import { useState } from "preact/hooks";

import type { TraceRow } from "../../../api/traces.js";
import { api, type RelayData } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { nodeName } from "../../format/node-name.js";
import { AskOnce } from "../../parts/ask-once.js";
import { Loading, Wrong } from "../../parts/notice.js";
import { Answer } from "../send/answer.js";
import { headersOf } from "../send/request-text.js";

interface RunAgainProps {
  readonly run: TraceRow;
  readonly node: string;
}

export function RunAgain(props: RunAgainProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="again" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Run again from here</summary>
      {isOpen && <Plan {...props} />}
    </details>
  );
}

function Plan({ run, node }: RunAgainProps) {
  const { value, problem, reload } = useResource(`rerun ${run.run_id}`, () => api.rerunPlan(run.run_id));
  if (problem !== undefined) return <Wrong problem={problem} asked="action" onAgain={reload} />;
  if (value === undefined) return <Loading what="what the step needs" />;
  const step = value.nodes.find((one) => one.node === node);
  if (step === undefined || step.reason !== null)
    return <p>Not from here: {step?.reason ?? "the run did not visit it"}.</p>;
  const input = step.input.kind === "full" ? JSON.stringify(step.input.value, null, 2) : "";
  return (
    <Form run={run} node={node} method={value.method} path={value.path} input={input} keys={step.keys} />
  );
}

interface FormProps extends RunAgainProps {
  readonly method: string;
  readonly path: string;
  readonly input: string;
  readonly keys: readonly string[];
}

function Form({ run, node, method, path, input, keys }: FormProps) {
  const [text, setText] = useState(input);
  const [target, setTarget] = useState(path);
  const [headers, setHeaders] = useState("");
  const [answer, setAnswer] = useState<RelayData | undefined>(undefined);
  const edited = text === input ? {} : inputIn(text);
  const read = headersOf(headers);
  const wrong = edited === undefined ? "The input is not valid JSON" : read.kind === "wrong" && read.message;
  const act = async () => {
    if (edited === undefined || read.kind === "wrong") return;
    setAnswer(undefined);
    setAnswer(await api.rerun(run.run_id, { node, path: target, headers: read.headers, ...edited }));
  };
  return (
    <>
      <p class="dim">
        Steps before it do not run{keys.length > 0 && `; the Bus has ${keys.join(", ")} of this run`}. Guards
        and IAM decide by the headers below: nothing of the first request's credentials is sent.
      </p>
      <Field label={`Path and query, ${method}`} value={target} rows={1} onInput={setTarget} />
      <Field label="Headers, one per line" value={headers} rows={2} onInput={setHeaders} />
      <Field label="Input of the step" value={text} rows={6} onInput={setText} />
      {wrong !== false && <p class="fault">{wrong}</p>}
      <p class="act">
        <AskOnce says={`Run ${nodeName(node)} and the steps after it?`} disabled={wrong !== false} act={act}>
          Run again
        </AskOnce>
      </p>
      {answer !== undefined && <Answer answer={answer} />}
    </>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly rows: number;
  onInput(value: string): void;
}

const Field = ({ label, value, rows, onInput }: FieldProps) => (
  <label>
    <span class="dim">{label}</span>
    <textarea
      class="mono"
      rows={rows}
      spellcheck={false}
      value={value}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  </label>
);

/** The edited input; undefined if it is no JSON. */
function inputIn(text: string): { readonly input: unknown } | undefined {
  try {
    return { input: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

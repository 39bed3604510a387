// Sends a request into the running circuits: a route, a body from its schema, and the response.

import { useState } from "preact/hooks";

import type { Route } from "../../../api/circuits.js";
import type { TraceRow } from "../../../api/traces.js";
import { api, type RelayData, type RoutesData } from "../../client/api.js";
import { roleOf } from "../../client/connection.js";
import { Problem } from "../../client/problem.js";
import { useResource } from "../../client/resource.js";
import { clock } from "../../format/moment.js";
import { Empty, Loading, Wrong } from "../../parts/notice.js";
import { Copy } from "../../parts/values/copy.js";
import { link } from "../../state/live.js";
import { choose, place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import { Answer } from "./answer.js";
import { BodyField } from "./body-field.js";
import { drafts, storeDraft, typed } from "./drafts.js";
import { Original } from "./original.js";
import { curlOf, type Draft, draftOf, emptyDraft, type Hole, missingIn } from "./request-draft.js";
import { bodyWith, headersOf, pathWith } from "./request-text.js";
import "./send.css";

export function SendView() {
  const routes = useResource("routes", api.routes);
  const { value, problem, reload } = routes;
  return (
    <div class="view send">
      <div class="head">
        <h1>Send</h1>
      </div>
      {problem !== undefined && <Wrong problem={problem} onAgain={reload} />}
      {value === undefined && problem === undefined && <Loading what="the routes" />}
      {value !== undefined &&
        (sendable(value).length === 0 ? (
          <Empty title="No routes">Mounted routes are listed here.</Empty>
        ) : (
          <Composer routes={sendable(value)} />
        ))}
    </div>
  );
}

const sendable = ({ routes }: RoutesData): readonly Route[] =>
  // Routes with a body first.
  routes
    .filter((route) => !route.is_web_socket && route.method !== "*")
    .sort((a, b) => Number(b.input_schema !== null) - Number(a.input_schema !== null));

const keyOf = ({ method, path }: Route): string => `${method} ${path}`;

function Composer({ routes }: { readonly routes: readonly Route[] }) {
  const key = useStore(place, ({ params }) => params.get("route"));
  const from = useStore(place, ({ params }) => params.get("from"));
  const sent = useStore(place, ({ params }) => params.get("sent"));
  const route = routes.find((one) => keyOf(one) === key) ?? (routes[0] as Route);
  useStore(typed, (all) => all.filter(({ sentAt }) => sentAt > 0).length);
  const recent = drafts().filter(({ sentAt }) => sentAt > 0);
  const draftKey = [keyOf(route), from, sent].join(" ");
  return (
    <>
      <label class="route">
        <span class="dim">Route</span>
        <select
          aria-label="Route"
          value={keyOf(route)}
          onChange={({ currentTarget }) =>
            choose({ route: currentTarget.value, from: undefined, sent: undefined })
          }
        >
          {routes.map((one) => (
            <option key={keyOf(one)} value={keyOf(one)}>
              {keyOf(one)}
              {one.summary === null ? "" : ` · ${one.summary}`}
            </option>
          ))}
        </select>
        {recent.length > 0 && (
          <select
            aria-label="Recent requests"
            value=""
            onChange={({ currentTarget }) => {
              const one = recent.find(({ sentAt }) => String(sentAt) === currentTarget.value);
              choose({ route: one?.route, from: undefined, sent: currentTarget.value });
            }}
          >
            <option value="">Recent…</option>
            {recent.map(({ sentAt, route, path }) => (
              <option key={sentAt} value={sentAt}>
                {clock(sentAt)} · {route.split(" ")[0]} {path}
              </option>
            ))}
          </select>
        )}
      </label>
      <Filled key={draftKey} route={route} draftKey={draftKey} from={from} />
    </>
  );
}

interface FilledProps {
  readonly route: Route;
  readonly draftKey: string;
  /** The run whose request is sent again. */
  readonly from: string | undefined;
}

/** What was typed here before; else the request of the run; else an empty one. */
function Filled({ route, draftKey, from }: FilledProps) {
  const [before] = useState(() => drafts().find(({ key }) => key === draftKey));
  const { value, problem, reload } = useResource(from && `run ${from}`, () => api.trace(from as string));
  if (before === undefined && from !== undefined && value === undefined)
    return problem === undefined ? <Loading what="the run" /> : <Wrong problem={problem} onAgain={reload} />;
  const first = before ?? (value === undefined ? emptyDraft(route) : draftOf(value, route));
  const isFresh = before === undefined && value === undefined;
  return <Request route={route} first={first} isFresh={isFresh} draftKey={draftKey} original={value?.run} />;
}

type Sent =
  | { readonly kind: "nothing" }
  | { readonly kind: "sending" }
  | { readonly kind: "answered"; readonly answer: RelayData; readonly at: number }
  | { readonly kind: "refused"; readonly problem: Problem };

interface RequestProps {
  readonly route: Route;
  readonly first: Draft;
  /** True if a sample may fill it. */
  readonly isFresh: boolean;
  readonly draftKey: string;
  readonly original: TraceRow | undefined;
}

function Request({ route, first, isFresh, draftKey, original }: RequestProps) {
  const [draft, setDraft] = useState(first);
  const [pathEdits, setPathEdits] = useState(0);
  const { path, headers, body } = draft;
  const [sent, setSent] = useState<Sent>({ kind: "nothing" });
  const isViewer = useStore(link, (one) => roleOf(one) === "viewer");
  const read = headersOf(headers);
  const missing = missingIn(draft);
  const key = keyOf(route);
  const edit = (changes: Partial<Draft>) =>
    setDraft((before) => {
      const next = { ...before, ...changes };
      storeDraft({ ...next, key: draftKey, route: key, sentAt: 0 }, route);
      return next;
    });
  const send = async () => {
    if (read.kind === "wrong" || missing.length > 0 || sent.kind === "sending") return;
    setSent({ kind: "sending" });
    const sentAt = Date.now();
    storeDraft({ ...draft, key: [key, undefined, sentAt].join(" "), route: key, sentAt }, route);
    try {
      const answer = await api.relay({
        method: route.method,
        path,
        ...bodyWith(body, read.headers, route.body_type),
      });
      setSent({ kind: "answered", answer, at: Date.now() });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setSent({ kind: "refused", problem: error });
    }
  };
  return (
    <div class="sides">
      <form
        class="side"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <label>
          <span class="dim">Path and query</span>
          <input
            type="text"
            class="mono"
            aria-label="Path"
            aria-invalid={missing.some(({ in: place }) => place === "path" || place === "query")}
            spellcheck={false}
            value={path}
            onInput={({ currentTarget }) => {
              edit({ path: currentTarget.value });
              setPathEdits((before) => before + 1);
            }}
          />
        </label>
        <label>
          <span class="dim">Headers, one per line (your own are not sent)</span>
          <textarea
            class="mono"
            rows={2}
            aria-label="Headers"
            aria-invalid={read.kind === "wrong" || missing.some(({ in: place }) => place === "header")}
            placeholder="authorization: Bearer …"
            spellcheck={false}
            value={headers}
            onInput={({ currentTarget }) => edit({ headers: currentTarget.value })}
          />
        </label>
        {read.kind === "wrong" && <p class="fault">{read.message}</p>}
        <BodyField
          route={route}
          body={body}
          pathEdits={pathEdits}
          isFresh={isFresh}
          onBody={(text) => edit({ body: text })}
          onParameters={(values) => edit({ path: pathWith(route.path, values) })}
        />
        {missing.length > 0 && (
          <p class="missing" role="status">
            <strong>Required, masked in the run:</strong> {missing.map(holeText).join(", ")}
          </p>
        )}
        <p class="act">
          <button
            type="submit"
            class="primary"
            disabled={isViewer || read.kind === "wrong" || missing.length > 0}
            // Not `disabled`, which would remove the focus from the pressed button.
            aria-disabled={sent.kind === "sending"}
          >
            Send
          </button>
          <Copy text={curlOf(route.method, draft)} what="as cURL" label="Copy as cURL" />
          <span class="dim">
            {isViewer
              ? "Requires the operator's token."
              : `Sends ${route.method} ${path} to ${route.circuit}, as an external request.`}
          </span>
        </p>
      </form>
      <div class="side">
        {original !== undefined && (
          <Original run={original} again={sent.kind === "answered" ? sent.answer : undefined} />
        )}
        {/* A screen reader would read out the whole response. */}
        <p class="unseen" role="status">
          {sent.kind === "answered" && `Response ${sent.answer.status}`}
        </p>
        {sent.kind === "nothing" && (
          <Empty title="No response yet">Status, headers, body and the run are shown here.</Empty>
        )}
        {sent.kind === "sending" && <Loading what="the response" />}
        {sent.kind === "refused" && <Wrong problem={sent.problem} asked="action" />}
        {sent.kind === "answered" && <Answer key={sent.at} answer={sent.answer} />}
      </div>
    </div>
  );
}

function holeText({ in: place, at }: Hole): string {
  if (place === "path") return `segment ${at} of the path`;
  if (place === "query") return `query field ${at}`;
  return place === "header" ? `header ${at}` : `body ${at === "" ? "(not captured)" : at}`;
}

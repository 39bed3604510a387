// Sends a request into the running circuits: a route, a body from its schema, and the response.

import { useEffect, useState } from "preact/hooks";

import type { Route } from "../../../api/circuits.js";
import { api, type RelayData, type RoutesData } from "../../client/api.js";
import { roleOf } from "../../client/connection.js";
import { Problem } from "../../client/problem.js";
import { useResource } from "../../client/resource.js";
import { Empty, Loading, Wrong } from "../../parts/notice.js";
import { link } from "../../state/live.js";
import { choose, place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import { Answer } from "./answer.js";
import { BodyField } from "./body-field.js";
import { bodyWith, headersOf, pathFor, pathWith } from "./request-text.js";
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
  const route = routes.find((one) => keyOf(one) === key) ?? (routes[0] as Route);
  return (
    <>
      <label class="route">
        <span class="dim">Route</span>
        <select
          aria-label="Route"
          value={keyOf(route)}
          onChange={({ currentTarget }) => choose({ route: currentTarget.value })}
        >
          {routes.map((one) => (
            <option key={keyOf(one)} value={keyOf(one)}>
              {keyOf(one)}
              {one.summary === null ? "" : ` · ${one.summary}`}
            </option>
          ))}
        </select>
      </label>
      <Request key={keyOf(route)} route={route} />
    </>
  );
}

type Sent =
  | { readonly kind: "nothing" }
  | { readonly kind: "sending" }
  | { readonly kind: "answered"; readonly answer: RelayData; readonly at: number }
  | { readonly kind: "refused"; readonly problem: Problem };

function Request({ route }: { readonly route: Route }) {
  const [path, setPath] = useState(() => pathFor(route.path));
  const [pathEdits, setPathEdits] = useState(0);
  const [headers, setHeaders] = useState("");
  const [body, setBody] = useState("");
  const [sent, setSent] = useState<Sent>({ kind: "nothing" });
  const isViewer = useStore(link, (one) => roleOf(one) === "viewer");
  const read = headersOf(headers);

  useEffect(() => setSent({ kind: "nothing" }), [route]);
  const send = async () => {
    if (read.kind === "wrong" || sent.kind === "sending") return;
    setSent({ kind: "sending" });
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
            spellcheck={false}
            value={path}
            onInput={({ currentTarget }) => {
              setPath(currentTarget.value);
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
            aria-invalid={read.kind === "wrong"}
            placeholder="authorization: Bearer …"
            spellcheck={false}
            value={headers}
            onInput={({ currentTarget }) => setHeaders(currentTarget.value)}
          />
        </label>
        {read.kind === "wrong" && <p class="fault">{read.message}</p>}
        <BodyField
          route={route}
          body={body}
          pathEdits={pathEdits}
          onBody={setBody}
          onParameters={(values) => setPath(pathWith(route.path, values))}
        />
        <p class="act">
          <button
            type="submit"
            class="primary"
            disabled={isViewer || read.kind === "wrong"}
            // Not `disabled`, which would remove the focus from the pressed button.
            aria-disabled={sent.kind === "sending"}
          >
            Send
          </button>
          <span class="dim">
            {isViewer
              ? "Requires the operator's token."
              : `Sends ${route.method} ${path} to ${route.circuit}, as an external request.`}
          </span>
        </p>
      </form>
      <div class="side">
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

// The request of a run and its response: what was read, and what was not.

import type { ComponentChildren } from "preact";

import type { Exchanged, Known, Trace } from "../../../api/traces.js";
import { originPlace, originText } from "../../format/origin.js";
import { counted } from "../../format/quantity.js";
import { Link } from "../../parts/link.js";
import { Payload } from "../../parts/values/payload.js";

export function RequestTab({ trace: { run, exchange } }: { readonly trace: Trace }) {
  const { request, goes_on } = run;
  if (request === null)
    return (
      <p class="dim">
        This run answers no request.
        {goes_on !== null && (
          <>
            {" "}
            {originText(goes_on)}: <Link {...originPlace(goes_on)}>{goes_on.id}</Link>
          </>
        )}
      </p>
    );
  return (
    <>
      <dl class="facts">
        <Fact name="Route">{request.route === null ? "none" : `${request.method} ${request.route}`}</Fact>
        <Fact name="Path">{request.path}</Fact>
        {exchange !== undefined && <Client of={exchange.client} />}
      </dl>
      {exchange === undefined ? (
        <p class="dim">Nothing else of the request is stored.</p>
      ) : (
        <>
          <h2>Query</h2>
          <Fields of={exchange.query} what="the query" />
          <h2>Request headers</h2>
          <Fields of={exchange.headers} what="the request headers" none="None that the route reads" />
          {exchange.headers.unread !== "" && <p class="dim">{exchange.headers.unread}.</p>}
          <h2>Request body</h2>
          <Body of={exchange.body} />
          <h2>Response {request.http_status || ""}</h2>
          <Response of={exchange.response} />
        </>
      )}
    </>
  );
}

function Client({ of: { address, identity, pseudonym } }: { readonly of: Exchanged["client"] }) {
  const isViewer = address.kind === "withheld" || identity.kind === "withheld";
  const facts = isViewer ? { Pseudonym: pseudonym } : { Client: address, Identity: identity };
  return Object.entries(facts).map(([name, of]) => (
    <Fact key={name} name={name}>
      {of.kind === "read" ? of.text : <span class="dim">{unknown(of)}</span>}
    </Fact>
  ));
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt class="dim">{name}</dt>
    <dd class="mono">
      <bdi>{children}</bdi>
    </dd>
  </div>
);

const unknown = (of: Known): string => (of.kind === "unread" ? `Not read: ${of.why}` : "For operators");

interface FieldsProps {
  readonly of: Exchanged["query"];
  readonly what: string;
  readonly none?: string;
}

function Fields({ of: { names, values }, what, none = "None" }: FieldsProps) {
  if (names.length === 0) return <p class="dim">{none}</p>;
  const shown = Object((values.kind === "full" && values.value) || {});
  const hidden = names.filter((name) => !Object.hasOwn(shown, name));
  return (
    <>
      {hidden.length < names.length && <Payload payload={values} what={what} />}
      {hidden.length > 0 && (
        <p class="mono">
          <bdi>{hidden.join(", ")}</bdi>{" "}
          <span class="dim">({values.kind === "full" ? "never shown" : "values not captured"})</span>
        </p>
      )}
    </>
  );
}

function Body({
  of: { state, content_type, length, keys, value, unread },
}: {
  readonly of: Exchanged["body"];
}) {
  if (state === "none") return <p class="dim">None was sent</p>;
  const size = length < 0 ? "sent in chunks" : counted(length, "byte");
  const isRead = state === "read" || state === "refused";
  return (
    <>
      <p>
        {content_type === "" ? "No content type" : <code>{content_type}</code>}, {size}
        {state === "refused" && <strong>, refused: shown as it was parsed</strong>}
        {state === "malformed" && <strong>, not parsed: {unread}</strong>}
        {state === "unread" && <span class="dim">, not read: {unread}</span>}
      </p>
      {keys.length > 0 && value.kind !== "full" && (
        <p>
          Members: <span class="mono">{keys.join(", ")}</span>
        </p>
      )}
      {isRead && <Payload payload={value} what="the request body" />}
    </>
  );
}

function Response({ of: { headers, body, length, unread } }: { readonly of: Exchanged["response"] }) {
  return (
    <>
      <p class="dim">
        {unread === ""
          ? counted(length, "byte")
          : `${unread}${length > 0 ? `: ${counted(length, "byte")}` : ""}`}
      </p>
      {unread === "" && <Payload payload={body} what="the response body" />}
      {headers.names.length > 0 && <Fields of={headers} what="the response headers" />}
    </>
  );
}

// Facts about the server: versions, capabilities, configuration, limits.

import { api, type StatusData } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { bytes, count } from "../../format/quantity.js";
import { Ago } from "../../parts/ago.js";
import { Bar } from "../../parts/charts/bar.js";
import { Loading, Wrong } from "../../parts/notice.js";
import { Copy } from "../../parts/values/copy.js";
import { metrics } from "../../state/live.js";
import { useStore } from "../../state/store.js";
import { Row, Section } from "./section.js";
import { WorkerPool } from "./worker-pool.js";
import "./system.css";

export function SystemView() {
  const { value, problem, reload } = useResource("system", api.status, 5000);
  const pool = useStore(metrics, (all) => all?.pool);
  return (
    <div class="view system">
      <div class="head">
        <h1>System</h1>
      </div>
      {problem !== undefined && <Wrong problem={problem} onAgain={reload} />}
      {value === undefined && problem === undefined && <Loading what="the server's status" />}
      {value !== undefined && (
        <div class="columns">
          <Versions status={value} />
          <Capabilities status={value} />
          <Parts status={value} />
          <Stores status={value} />
          {pool && <WorkerPool pool={pool} />}
          <Limits status={value} />
          <Configuration status={value} />
        </div>
      )}
    </div>
  );
}

interface Part {
  readonly status: StatusData;
}

function Versions({ status }: Part) {
  const { native_server: native } = status;
  return (
    <Section title="Versions">
      <table aria-label="Versions">
        <tbody>
          <Row name="Service">
            {status.service} {status.service_version}, profile {status.profile}
          </Row>
          <Row name="Started">
            <Ago at={status.started_at} />
          </Row>
          <Row name="Framework">{status.framework}</Row>
          {status.artefacts.map(({ name, version }) => (
            <Row key={name} name={name}>
              {version}
            </Row>
          ))}
          <Row name="Node.js">{status.node}</Row>
          <Row name="Native server">
            {native.version ?? "unknown version"} <span class="dim">{native.source}</span>
            {native.is_tested ? "" : <span class="strong"> untested version</span>}
          </Row>
          {native.sha256 !== null && (
            <Row name="sha256">
              <code class="cut" title={native.sha256}>
                {native.sha256.slice(0, 16)}…
              </code>
              <Copy text={native.sha256} what="the sha256" />
            </Row>
          )}
          <Row name="Listens on">{status.addresses.join(", ")}</Row>
          <Row name="Processes">
            {status.processes
              .map(({ pid, role }) => (role === "alone" ? `${pid} (single process)` : `${pid} ${role}`))
              .join(", ")}
          </Row>
          <Row name="Your role">{status.role}</Row>
        </tbody>
      </table>
    </Section>
  );
}

function Capabilities({ status: { capabilities } }: Part) {
  return (
    <Section title="Capabilities">
      <table aria-label="Capabilities">
        <tbody>
          {capabilities.map(({ name, status, note }) => (
            <Row key={name} name={name}>
              <span class={status === "available" ? undefined : "dim"}>
                {status === "off" ? "not configured" : status}
              </span>
              {note !== null && <span class="dim"> · {note}</span>}
            </Row>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function Parts({ status: { crates } }: Part) {
  return (
    <Section title="Parts">
      <table aria-label="Parts">
        <tbody>
          {crates.map(({ name, status, version }) => (
            <Row key={name} name={name}>
              {version} <span class="dim">{status === "planned" ? "not configured" : status}</span>
            </Row>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function Stores({ status: { stores } }: Part) {
  return (
    <Section title="Inspector stores">
      <table aria-label="Inspector stores">
        <tbody>
          {stores.map(({ name, count: held, limit, bytes: size, dropped }) => (
            <Row key={name} name={name}>
              <span class="store">
                <Bar value={held} scale={limit} />
                <span>
                  {count(held)} of {count(limit)}
                  {size !== null && `, ${bytes(size)}`}
                  {dropped > 0 && (
                    <span class="dim">
                      , {count(dropped)} {name === "feed" ? "lost" : "evicted"}
                    </span>
                  )}
                </span>
              </span>
            </Row>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function Limits({ status: { limits } }: Part) {
  return (
    <Section title="Limits">
      <table aria-label="Limits">
        <tbody>
          {limits.map(({ name, value, unit }) => (
            <Row key={name} name={name}>
              {unit === "bytes" ? bytes(value) : `${value} ${unit}`}
            </Row>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function Configuration({ status: { configuration } }: Part) {
  return (
    <Section title="Configuration">
      <table class="wide" aria-label="Configuration">
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">Value</th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          {configuration.map(({ key, value, from }) => (
            <tr key={key}>
              <th scope="row" class="mono">
                {key}
              </th>
              <td class="mono">{typeof value === "string" ? value : JSON.stringify(value)}</td>
              <td class={from === "default" ? "dim" : undefined}>{from}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

// Processes on the same stores: applications, leases, last beats, versions, durable runs.

import { api, type HostsData } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { duration } from "../../format/duration.js";
import { counted } from "../../format/quantity.js";
import { Ago } from "../../parts/ago.js";
import { List } from "../../parts/lists/list.js";
import type { Column } from "../../parts/lists/table.js";
import { Empty } from "../../parts/notice.js";
import { PathTabs } from "../../parts/path-tabs.js";

type Row = HostsData["hosts"][number];

export function HostsView() {
  const asked = useResource("hosts", api.hosts, 3000);
  const { hosts = [], draining = [], stores_unlisted: unlisted = 0 } = asked.value ?? {};
  return (
    <div class="view">
      <List
        title="Runs"
        which={<PathTabs label="Which runs" value="hosts" />}
        counts={
          <span class="dim">
            {counted(hosts.filter(({ is_alive }) => is_alive).length, "living host")}
            {unlisted > 0 && `; ${counted(unlisted, "store")} cannot list hosts`}
          </span>
        }
        asked={asked}
        what="the hosts"
        label="Hosts"
        rows={hosts}
        columns={COLUMNS}
        keyOf={({ host }) => host}
        empty={
          <Empty title="No hosts">
            A process that serves with <code>.stores()</code>, or a circuit with{" "}
            <code>withPersistenceStore</code>, renews a lease in the store.
          </Empty>
        }
      >
        {draining.length > 0 && <Draining runs={draining} />}
      </List>
    </div>
  );
}

function Draining({ runs }: { readonly runs: HostsData["draining"] }) {
  return (
    <section class="draining" aria-label="Runs of other versions">
      <h2>Runs of other versions</h2>
      <p class="dim">Unfinished, and begun by versions that this process does not serve. Counted hourly.</p>
      <ul>
        {runs.map(({ circuit, version, way, runs: count }) => (
          <li key={`${circuit} ${version} ${way}`}>
            {circuit} {version}: {counted(count, "run")}, {FATES[way]}
          </li>
        ))}
      </ul>
    </section>
  );
}

const FATES: Readonly<Record<HostsData["draining"][number]["way"], string>> = {
  migrates: "which migrate when they are resumed",
  "old code": "which the old Axon completes",
  unfit: "which no code of this process can resume",
};

const ms = (value: number): string => duration(Math.round(value) * 1000);

const COLUMNS: readonly Column<Row>[] = [
  { title: "Host", width: "20%", cell: ({ host }) => <code title={host}>{host}</code> },
  {
    title: "Process",
    width: "20%",
    cell: ({ pid, machine }) => (pid === null ? <span class="dim">unknown</span> : `${machine ?? ""} ${pid}`),
  },
  {
    title: "Application",
    folds: 2,
    cell: ({ name, version }) => [name, version].filter((part) => part !== null).join(" "),
  },
  {
    title: "Began",
    width: "96px",
    folds: 3,
    cell: ({ began_at }) => began_at !== null && <Ago at={began_at} />,
  },
  {
    title: "Lease",
    width: "112px",
    hint: "Time until its lease ends; another host then takes its runs",
    cell: ({ is_alive, lease_left_ms }) =>
      is_alive ? `${ms(lease_left_ms)} left` : <span class="status">ended</span>,
  },
  { title: "Last beat", width: "112px", cell: ({ beat_ago_ms }) => `${ms(beat_ago_ms)} ago` },
  {
    title: "Runs",
    width: "64px",
    align: "right",
    hint: "Unfinished runs that it owns",
    cell: ({ runs }) => runs,
  },
  {
    title: "Versions",
    folds: 1,
    cell: ({ axons }) => axons.map(({ name, version }) => `${name} ${version}`).join(", "),
  },
];

// The audit log: its events, or the state of its hash chain.

import { api } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { Empty, Loading, Wrong } from "../../parts/notice.js";
import { PathTabs } from "../../parts/path-tabs.js";
import { place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import { AuditChain } from "./audit-chain.js";
import { AuditEvents } from "./audit-events.js";
import "./audit.css";

export function AuditView() {
  const { value, problem, reload } = useResource("status", api.status);
  const log = value?.capabilities.find(({ name }) => name === "audit");
  const isChain = useStore(place, ({ path }) => path[1] === "chain");
  // Without a log there are only refusals.
  const hasLog = log !== undefined && log.status !== "off";
  if (hasLog && !isChain) return <AuditEvents />;
  return (
    <div class="view audit">
      <div class="head">
        <h1>Audit</h1>
        {hasLog && <PathTabs label="Audit log" value="audit/chain" />}
      </div>
      {problem !== undefined && <Wrong problem={problem} onAgain={reload} />}
      {value === undefined && problem === undefined && <Loading what="the audit log" />}
      {value !== undefined && !hasLog && (
        <Empty title="No audit log">Add one with .stores(openStores(...)) or .audit(sink).</Empty>
      )}
      {hasLog && <AuditChain />}
    </div>
  );
}

// What the log has of marked data: the lines of an access log, and what steps write themselves.

import { type Carried, inferred, NOTHING } from "#compliance/classes/carried.js";
import { factOf } from "#compliance/classes/request-facts.js";
import { guardsIn, type Processed } from "./processed-axon.js";
import { type RecordRow, rowsOf } from "./record.js";

export function loggedRows(processed: Processed): readonly RecordRow[] {
  const { nodes, location } = processed;
  const written = nodes.flatMap(({ label, source_location: at = location, bus_capability: bus }) => {
    if (![...(bus?.reads ?? []), ...(bus?.may_read ?? [])].includes("Log")) return [];
    const unknown: Carried = { ...NOTHING, unknown: new Set(["what it writes"]) };
    return rowsOf({ direction: "logged", place: `log lines of ${label}`, location: at }, unknown);
  });
  return [...accessLogRows(processed), ...written];
}

/** The innermost guard that writes the line of a response: what schemas mark, and names of secrets, are masked in it. */
function accessLogRows(processed: Processed): readonly RecordRow[] {
  const { location } = processed;
  const observer = guardsIn(processed).findLast(({ observer: each }) => each?.writesLine === true)?.observer;
  const hasAddress = observer?.reads.some(({ name }) => name === "ClientIp") === true;
  const carried = (hasAddress ? factOf("ClientIp") : undefined) ?? NOTHING;
  return rowsOf({ direction: "logged", place: "access log", location }, inferred(carried));
}

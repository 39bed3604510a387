// What the log has of marked data: the lines of an access log, and what steps write themselves.

import { type Carried, inferred, joined, NOTHING } from "#compliance/classes/carried.js";
import { factOf } from "#compliance/classes/request-facts.js";
import { isSensitiveName } from "#core/secrets/sensitive-names.js";
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

/** The innermost guard that writes the line of a response. Names of secrets are masked in it, marks are not known to it. */
function accessLogRows(processed: Processed): readonly RecordRow[] {
  const observer = guardsIn(processed).findLast(({ observer: each }) => each?.writesLine === true)?.observer;
  if (observer === undefined) return [];
  const { facts, location } = processed;
  const named = observer.reads.map(({ name }) => name);
  const heads = named.filter(
    (name) => name.startsWith("header:") && !isSensitiveName(name.slice("header:".length)),
  );
  const { query = false } = observer;
  const parameters = query === true ? ["RequestQuery"] : [];
  const listed = Array.isArray(query) ? query : [];
  const ofQuery = [...(facts.get("RequestQuery")?.fields ?? [])].filter(([name]) =>
    listed.includes(name.slice(name.indexOf("/") + 1)),
  );
  const carried = [
    ...["RequestPath", ...parameters, ...heads].map((key) => facts.get(key) ?? NOTHING),
    ...(named.includes("ClientIp") ? [factOf("ClientIp") ?? NOTHING] : []),
    { ...NOTHING, fields: new Map(ofQuery) },
  ];
  return rowsOf({ direction: "logged", place: "access log", location }, inferred(joined(carried)));
}

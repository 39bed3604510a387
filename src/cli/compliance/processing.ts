// Makes the record of processing of an application: what its declarations say of marked data.

import type { TSchema } from "@sinclair/typebox";

import {
  type Carried,
  carriedOf,
  declaredBy,
  inferred,
  joined,
  NOTHING,
} from "#compliance/classes/carried.js";
import { factOf } from "#compliance/classes/request-facts.js";
import { routeInfos } from "#http/description/route-infos.js";
import { usingStores } from "#http/description/used-stores.js";
import type { Part } from "#http/input/extractor.js";
import type { IngressPlan } from "#http/plan/ingress-plan.js";
import { describeRoute, type RouteDefinition } from "#http/plan/route-definition.js";
import { declaredInput } from "#http/plan/route-input.js";
import { composed } from "#http/request/composition.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import { withErrorOwner } from "#schema/compile/error-owner.js";
import { keptRows } from "./kept-data.js";
import { loggedRows } from "./logged-data.js";
import { type Processed, processedOf } from "./processed-axon.js";
import { type RecordEntry, type RecordRow, rowsOf } from "./record.js";

export function entriesOf(
  plan: IngressPlan | undefined,
  axons: readonly AxonDefinition[],
): readonly RecordEntry[] {
  const routes = plan === undefined ? [] : usingStores(plan, () => routeEntries(plan));
  const mounted = new Set(routes.map(({ axon }) => axon));
  const others = axons.filter(({ name }) => !mounted.has(name));
  return [
    ...routes,
    ...others.map((axon) => withErrorOwner(`Axon '${axon.name}'`, () => axonEntry(axon, plan))),
  ];
}

function axonEntry(axon: AxonDefinition, plan: IngressPlan | undefined): RecordEntry {
  const given = axon.input === undefined ? NOTHING : declaredBy(axon.input, "input");
  const processed = processedOf(axon, given, new Map(), plan);
  return entryOf(processed, `axon ${axon.name}`, undefined, [
    ...rowsOf({ direction: "in", place: "input", location: processed.location }, given),
    ...outputRows(processed, "output"),
  ]);
}

function routeEntries(plan: IngressPlan): readonly RecordEntry[] {
  const definitions = [...plan.routes, ...(plan.fallback === undefined ? [] : [plan.fallback])];
  const infos = routeInfos(plan);
  return definitions.flatMap((route, at) => {
    const info = infos[at] as (typeof infos)[number];
    // Probes and the framework's own documents.
    if (info.internal) return [];
    const { method, path, summary, description, responses } = info;
    const successes = [...new Set(responses.map(({ status }) => status))]
      .filter((status) => status < 400)
      .sort();
    const mount = `${method} ${path}`;
    return withErrorOwner(describeRoute(route), () => [
      routeEntry(route, plan, mount, successes, summary ?? description),
      ...(route.webSocket === undefined ? [] : messageEntries(route, plan, mount)),
    ]);
  });
}

function routeEntry(
  route: RouteDefinition,
  plan: IngressPlan,
  mount: string,
  successes: readonly number[],
  purpose: string | undefined,
): RecordEntry {
  const inputs = inputsOf(declaredInput(route), route.pattern.names);
  const given = joined(inputs.map(({ carried }) => carried));
  const processed = processedOf(composed(route, plan), given, factsOf(inputs, plan), plan);
  const { location, data, definition } = processed;
  const named = Object.entries(route.responseSchemas).flatMap(([status, schema]) =>
    rowsOf(
      { direction: "out", place: `response ${status}`, location },
      declaredBy(schema, "response", data.all()),
    ),
  );
  const { schema: event } = route.events ?? {};
  const others = successes.filter((status) => !Object.hasOwn(route.responseSchemas, status));
  return entryOf(processed, mount, purpose ?? undefined, [
    ...inputs.flatMap(({ place, carried }) => rowsOf({ direction: "in", place, location }, carried)),
    ...headRows(processed),
    ...(event === undefined || definition.output !== undefined
      ? outputRows(processed, route.events ? "events" : `response ${others.join(", ") || 200}`)
      : rowsOf({ direction: "out", place: "events", location }, declaredBy(event, "event", data.all()))),
    ...named,
  ]);
}

function messageEntries(route: RouteDefinition, plan: IngressPlan, mount: string): readonly RecordEntry[] {
  const { message, close, schema } = route.webSocket as NonNullable<RouteDefinition["webSocket"]>;
  const input = schema ?? message.input;
  const given = input === undefined ? unknownText("message") : declaredBy(input, "message");
  const processed = processedOf(message, given, new Map(), plan);
  const { location } = processed;
  const entry = entryOf(processed, `${mount} message`, undefined, [
    ...rowsOf({ direction: "in", place: "message", location }, given),
    ...outputRows(processed, "message"),
  ]);
  if (close === undefined) return [entry];
  const closing = processedOf(close, NOTHING, new Map(), plan);
  return [entry, entryOf(closing, `${mount} close`, undefined, [])];
}

function entryOf(
  processed: Processed,
  mount: string,
  purpose: string | undefined,
  rows: readonly RecordRow[],
): RecordEntry {
  const { definition, location, nodes } = processed;
  const policies = new Set(nodes.flatMap(({ iam, admits }) => iam?.policy ?? admits?.policy ?? []));
  // A step that logs a caller in writes an identity too, after anyone may have asked it.
  const verifies = nodes.some(
    ({ kind, bus_capability: bus }) =>
      FRONT.has(kind) &&
      [...(bus?.writes ?? []), ...(bus?.may_write ?? [])].some((key) => IDENTITIES.has(key)),
  );
  return {
    mount,
    axon: definition.name,
    purpose,
    callers: policies.size > 0 ? [...policies].join(", ") : verifies ? "a verified identity" : undefined,
    hasSubject: definition.subject !== undefined,
    rows: [...rows, ...keptRows(processed), ...sentRows(processed), ...loggedRows(processed)],
    location,
  };
}

const FRONT: ReadonlySet<string> = new Set(["Layer", "Guard", "Iam"]);
const IDENTITIES: ReadonlySet<string> = new Set(["VerifiedIdentity", "IamIdentity"]);

/** A part of a request's input. */
interface ReadInput {
  readonly place: string;
  readonly kind: Part["kind"];
  readonly carried: Carried;
}

const unknownText = (name: string): Carried => ({ ...NOTHING, unknown: new Set([`content of ${name}`]) });

/** `names` are those of the path's parameters. */
function inputsOf(part: Part | undefined, names: readonly string[]): readonly ReadInput[] {
  if (part === undefined) return [];
  if (part.kind === "combine") return Object.values(part.parts).flatMap((inner) => inputsOf(inner, names));
  if (part.kind === "parameters") return parameterInputs(part.schema, names);
  const { kind } = part;
  const place = PLACES[kind];
  const schema = part.kind === "multipart" ? part.options.schema : "schema" in part ? part.schema : undefined;
  const declared = schema === undefined ? NOTHING : declaredBy(schema, place);
  const files = kind === "multipart" ? unknownText("files") : undefined;
  if (files !== undefined) return [{ place, kind, carried: joined([declared, files]) }];
  return [{ place, kind, carried: schema === undefined ? unknownText(place) : declared }];
}

/** A flat object of the parameters of path and query. */
function parameterInputs(schema: TSchema, names: readonly string[]): readonly ReadInput[] {
  return (["path", "query"] as const).map((kind) => {
    const fields = [...declaredBy(schema, kind).fields.values()];
    const own = fields.filter(({ name }) => names.includes(name.split("/")[1] ?? "") === (kind === "path"));
    return { place: kind, kind, carried: carriedOf(...own) };
  });
}

const PLACES: Readonly<Record<Exclude<Part["kind"], "combine" | "parameters">, string>> = {
  json: "body",
  form: "body",
  multipart: "body",
  text: "body",
  bytes: "body",
  stream: "body",
  path: "path",
  query: "query",
  header: "header",
  cookie: "cookie",
};

/** Keys by which steps read the same values as the input: `param("id")` is the path's `/id`. */
function factsOf(inputs: readonly ReadInput[], plan: IngressPlan): ReadonlyMap<string, Carried> {
  const facts = new Map<string, Carried>(plan.constants.map(({ key }) => [key.name, NOTHING]));
  const add = (key: string, carried: Carried): void => {
    facts.set(key, joined([factOf(key) ?? NOTHING, facts.get(key) ?? NOTHING, carried]));
  };
  for (const { kind, carried } of inputs) {
    if (carried.fields.size === 0) continue;
    for (const key of WHOLE[kind] ?? []) add(key, carried);
    for (const field of carried.fields.values())
      for (const prefix of SINGLE[kind] ?? [])
        add(prefix + field.name.slice(field.name.indexOf("/") + 1), carriedOf(field));
  }
  return facts;
}

const WHOLE: Partial<Record<Part["kind"], readonly string[]>> = {
  path: ["PathParams", "RequestPath"],
  query: ["QueryParams", "RequestQuery"],
  header: ["RequestHeaders"],
};
const SINGLE: Partial<Record<Part["kind"], readonly string[]>> = {
  path: ["param:"],
  header: ["header:"],
  cookie: ["cookie:"],
};

/** What steps and guards read of the head and the connection, beside the input. */
function headRows({ nodes, facts, location }: Processed): readonly RecordRow[] {
  const keys = nodes.flatMap(({ bus_capability: bus }) => [...(bus?.reads ?? []), ...(bus?.may_read ?? [])]);
  return [...new Set(keys)].sort().flatMap((key) => {
    if (!FROM_CLIENT.test(key)) return [];
    const carried = facts.has(key) ? NOTHING : (factOf(key) ?? NOTHING);
    const place = key.includes(":") ? key.slice(0, key.indexOf(":")) : "request";
    return rowsOf({ direction: "in", place, location }, carried);
  });
}

const FROM_CLIENT =
  /^(?:header|cookie|signed cookie|encrypted cookie|param):|^(?:ClientIp|ClientIdentity|IamToken|RequestHeaders)$/;

function outputRows(
  { definition, schematic, data, location }: Processed,
  place: string,
): readonly RecordRow[] {
  const egress = schematic.nodes.findLast(({ kind }) => kind === "Egress");
  const last = definition.steps.at(-1);
  const site = place === "events" ? undefined : last?.site.locate();
  if (egress === undefined || last === undefined) return [];
  // The step whose schema, or whose value, it is; the last one of a stream of events is not the application's.
  const at = definition.output === undefined ? (site ?? location) : location;
  const isPublished = place === "events" && definition.output === undefined;
  const published = isPublished ? [{ ...NOTHING, unknown: new Set(["what is published"]) }] : [];
  return rowsOf({ direction: "out", place, location: at }, joined([data.result(egress), ...published]));
}

/** What Synapses and the sinks of events receive. */
function sentRows({ nodes, data, definition, location }: Processed): readonly RecordRow[] {
  const sinks = definition.sinks.length;
  return nodes.flatMap((node): readonly RecordRow[] => {
    const at = { direction: "sent", location: node.source_location ?? location } as const;
    const reach = data.reach(node);
    const called =
      node.kind === "Synapse" ? rowsOf({ ...at, place: `service ${node.label}` }, data.received(node)) : [];
    const emitted = (node.emits ?? []).flatMap((event) =>
      rowsOf(
        { ...at, place: `event ${event} to ${sinks} sink${sinks === 1 ? "" : "s"}` },
        { ...reach, isDeclared: false },
      ),
    );
    const { reads = [], may_read = [] } = node.bus_capability ?? {};
    const messages = [...reads, ...may_read].some((key) => SENDING.has(key))
      ? rowsOf({ ...at, direction: "out", place: `messages of ${node.label}` }, inferred(reach))
      : [];
    return [...called, ...emitted, ...messages];
  });
}

/** Keys by which a step sends messages to the connections of clients. */
const SENDING: ReadonlySet<string> = new Set(["WebSocketConnection", "Rooms"]);

// Cache headers of routes that read an identity, a session or a sealed cookie. A shared cache with a default
// lifetime stores responses without `cache-control`, and would send one caller's to another. Found at mount
// from what the steps declare: constants of the route, like the headers of a guard.

import type { AnyKey } from "#core/bus/bus-key.js";
import { pass } from "#core/bus/outcome.js";
import { header, VerifiedIdentity } from "#core/facts/ingress-facts.js";
import type { HeaderFields } from "#core/facts/response-facts.js";
import { type AnyGuard, type GuardDeclarations, guard } from "#core/flow/guard.js";
import { IamIdentity, IamToken } from "#core/iam/iam-identity.js";
import { Session, SessionLookup } from "#core/ports/session.js";
import { type AxonDefinition, visitAxon } from "#runtime/definition/axon-definition.js";
import type { Provision } from "../plan/provision.js";

/** Facts about the caller that a step, a layer or a provided value sets. */
const IDENTITIES: readonly AnyKey[] = [Session, SessionLookup, IamIdentity, VerifiedIdentity];

/** Fields of a request that identify the caller. */
const CREDENTIALS: readonly AnyKey[] = [IamToken, header("authorization"), header("cookie")];
const SEALED = /^(?:signed|encrypted) cookie:/;

const isCredential = (key: AnyKey): boolean => CREDENTIALS.includes(key) || SEALED.test(key.name);

interface Node extends Pick<GuardDeclarations, "credential" | "idempotency"> {
  readonly reads: readonly AnyKey[];
  readonly writes: readonly AnyKey[];
}

/**
 * A guard that declares the headers and nothing else; none if no response depends on the caller. It comes
 * before the guards of the route, whose headers take precedence.
 */
export function privateAnswers(
  axon: AxonDefinition,
  { provisions }: { readonly provisions: readonly Provision[] },
): readonly AnyGuard[] {
  const nodes = nodesOf(axon, provisions);
  const identifying = nodes.filter(identifies);
  if (identifying.length === 0) return [];
  const vary = [...sourcesOf(identifying, nodes)].sort().join(", ");
  // Without a known source, the two fields that carry credentials.
  const always: HeaderFields = {
    "cache-control": "private, no-cache",
    vary: vary || "authorization, cookie",
  };
  return [guard({ name: "private-answers", responseHeaders: { always }, run: pass })];
}

const identifies = ({ reads, writes, credential, idempotency }: Node): boolean =>
  credential !== undefined ||
  writes.some((key) => IDENTITIES.includes(key)) ||
  // An IdempotencyGuard compares credentials, and identifies no caller by them.
  (idempotency === undefined && reads.some(isCredential));

/** The steps, guards and layers of the Axon, and the provided values that they read. */
function nodesOf(axon: AxonDefinition, provisions: readonly Provision[]): readonly Node[] {
  const nodes: Node[] = [];
  const add = (declared: Pick<AnyGuard, "reads" | "mayRead" | "writes" | "mayWrite"> & Partial<AnyGuard>) => {
    const { reads = [], mayRead = [], writes = [], mayWrite = [], credential, idempotency } = declared;
    nodes.push({
      ...{ reads: [...reads, ...mayRead], writes: [...writes, ...mayWrite] },
      ...(credential && { credential }),
      ...(idempotency && { idempotency }),
    });
  };
  visitAxon(axon, {
    axon({ layers }) {
      for (const { layer } of layers) add(layer as never);
    },
    step({ transition }) {
      add(transition as AnyGuard);
    },
  });
  const read = new Set(nodes.flatMap(({ reads }) => reads));
  // The iteration includes keys that the loop adds.
  for (const key of read) {
    const provision = provisions.find((each) => each.key === key);
    if (provision === undefined) continue;
    nodes.push({ reads: provision.reads, writes: [key] });
    for (const needed of provision.reads) read.add(needed);
  }
  return nodes;
}

/** Names of the header fields that the identity is computed from, through the nodes that set what a node reads. */
function sourcesOf(identifying: readonly Node[], nodes: readonly Node[]): ReadonlySet<string> {
  const fields = new Set<string>();
  const keys = new Set<AnyKey>();
  for (const { reads, credential } of identifying) {
    for (const key of reads) keys.add(key);
    if (credential !== undefined) fields.add(credential.in === "cookie" ? "cookie" : credential.name);
  }
  for (const key of keys) {
    const field = fieldOf(key);
    if (field !== undefined) fields.add(field);
    for (const { reads, writes } of nodes) if (writes.includes(key)) for (const each of reads) keys.add(each);
  }
  return fields;
}

function fieldOf(key: AnyKey): string | undefined {
  if (key === IamToken) return "authorization";
  const [, kind, name] = /^(header|(?:signed |encrypted )?cookie):(.+)$/s.exec(key.name) ?? [];
  return kind === "header" || kind === undefined ? name : "cookie";
}

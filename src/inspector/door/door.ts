// The order in which a request to the Inspector is checked. The ingress comes first: the gate,
// then the Host (421) on all paths. Open are the page's files and /healthz, for GET and HEAD.
// All other requests, whatever path and method, need the token (401), a known Origin if they
// have one (403) and the role (403), before it shows which methods and routes exist. A method
// that changes something takes an operator by the method alone, unless its route says otherwise.

import { fault, pass } from "#core/bus/outcome.js";
import {
  header,
  OwnOrigin,
  RequestMethod,
  RequestOrigin,
  VerifiedIdentity,
} from "#core/facts/ingress-facts.js";
import { type AnyGuard, guard } from "#core/flow/guard.js";
import { IamError } from "#core/iam/iam-error.js";
import { IamIdentity, IamToken } from "#core/iam/iam-identity.js";
import { IamPolicy } from "#core/iam/iam-policy.js";
import { OriginRules } from "#core/net/origin-rules.js";
import { Refusal } from "#http/refusal/refusal.js";
import { guardFault } from "#std/faults.js";
import { AuthGuard } from "#std/guards/auth-guard.js";
import { type BearerAuth, identityOf, roleOf } from "./bearer-auth.js";
import type { Tickets } from "./tickets.js";

export interface DoorOptions {
  readonly auth: BearerAuth;
  readonly tickets: Tickets;
  /** Origins of pages beside the Inspector's own. */
  readonly allowedOrigins: readonly string[];
}

/** The subprotocol of the feed. */
export const FEED_PROTOCOL = "framework.inspector.v1";

const TICKET = "ticket.";
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
const ORIGIN_REFUSED = guardFault("ORIGIN_REFUSED");
const OPERATOR_NEEDED = fault(IamError.insufficientRole("It takes an operator"));
const TICKET_REFUSED = fault(
  IamError.invalidToken("The ticket was used, has ended, or was made for another origin"),
);
const PROTOCOL_NEEDED = fault(
  new Refusal("HANDSHAKE_INVALID", {
    detail: `Sec-WebSocket-Protocol is to name ${FEED_PROTOCOL} beside the ticket`,
  }),
);
const PROTOCOLS = header("sec-websocket-protocol");

export class Door {
  /** Of all routes, except for what a route leaves out by `without`. */
  readonly guards: readonly AnyGuard[];
  /** Names for `without` of a route. */
  readonly openTo: { readonly anybody: readonly string[]; readonly viewers: readonly string[] };
  /** Of routes that viewers may not read. */
  readonly forOperators: AnyGuard = operatorGuard("InspectorOperator", "Operators alone", () => false);
  /** Of the feed, instead of `guards`. */
  readonly feedGuards: readonly AnyGuard[];

  constructor({ auth, tickets, allowedOrigins }: DoorOptions) {
    const bearer = new AuthGuard(IamPolicy.requireIdentity(), auth.verifier);
    const origin = originGuard(allowedOrigins);
    const role = operatorGuard("InspectorRole", "Operators alone, for what changes something", (method) =>
      SAFE.has(method),
    );
    this.guards = [bearer, origin, role];
    this.openTo = { anybody: this.guards.map(({ name }) => name), viewers: [role.name] };
    this.feedGuards = [ticketGuard(bearer, tickets), origin, PROTOCOL];
  }
}

/** A browser closes a connection that selects none of the protocols it offered: this says why. */
const PROTOCOL = guard({
  name: "InspectorProtocol",
  description: "A ticket alone is no protocol",
  mayRead: [PROTOCOLS],
  run(input, bus) {
    const offered = bus.find(PROTOCOLS);
    return ticketIn(offered) === undefined || offers(offered).includes(FEED_PROTOCOL)
      ? pass(input)
      : PROTOCOL_NEEDED;
  },
});

function originGuard(allowed: readonly string[]) {
  const rules = new OriginRules(allowed, "allowedOrigins of the Inspector");
  return guard({
    name: "InspectorOrigin",
    description: "Pages of its own alone, where a page asks",
    mayRead: [RequestOrigin, OwnOrigin],
    run(input, bus) {
      const origin = bus.find(RequestOrigin);
      // hole: a page of another site could steer runs
      return origin === undefined || origin === bus.find(OwnOrigin) || rules.allows(origin)
        ? pass(input)
        : ORIGIN_REFUSED;
    },
  });
}

function operatorGuard(name: string, description: string, isOpen: (method: string) => boolean) {
  return guard({
    name,
    description,
    reads: [IamIdentity, RequestMethod],
    run: (input, bus) =>
      // hole: a viewer could change something
      roleOf(bus.get(IamIdentity)) === "operator" || isOpen(bus.get(RequestMethod))
        ? pass(input)
        : OPERATOR_NEEDED,
  });
}

/** Takes a token, or one ticket among the subprotocols that are offered. */
function ticketGuard(bearer: AuthGuard<IamPolicy<true>>, tickets: Tickets) {
  return guard({
    name: "InspectorTicket",
    description: `${bearer.description}, or a ticket`,
    mayRead: [...bearer.mayRead, PROTOCOLS, RequestOrigin],
    writes: [IamIdentity, VerifiedIdentity],
    run(input, bus) {
      const ticket = bus.find(IamToken) === undefined ? ticketIn(bus.find(PROTOCOLS)) : undefined;
      if (ticket === undefined) return bearer.run(input, bus as never);
      const role = tickets.redeem(ticket, bus.find(RequestOrigin));
      if (role === undefined) return TICKET_REFUSED;
      bus.set(IamIdentity, identityOf(role));
      bus.set(VerifiedIdentity, role);
      return pass(input);
    },
  });
}

function offers(list = ""): readonly string[] {
  return list.split(",").map((name) => name.trim());
}

function ticketIn(offered: string | undefined): string | undefined {
  const name = offers(offered).find((one) => one.startsWith(TICKET));
  return name?.slice(TICKET.length);
}

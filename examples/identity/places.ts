// Where the token is: after "Bearer", in a cookie, in a header, or where a layer finds it.

import {
  Axon,
  busKey,
  cookie,
  Framework,
  header,
  IamIdentity,
  IamPolicy,
  type IamVerifier,
  layer,
  QueryParams,
} from "framework";
import { AuthGuard } from "framework/std";

const name = Axon.start("name").thenFn(
  "name",
  { uses: { identity: IamIdentity } },
  (_, bus) => bus.identity.subject,
);

/** A browser's EventSource sends no header of its own. Addresses are kept in histories and logs: last choice. */
const TicketToken = busKey<string>()("TicketToken");
const fromTicket = layer({
  name: "from-ticket",
  reads: [QueryParams],
  mayWrite: [TicketToken],
  run(bus, next) {
    const { ticket } = bus.get(QueryParams);
    if (typeof ticket === "string") bus.set(TicketToken, ticket);
    return next();
  },
});

export function places(tokens: IamVerifier) {
  const policy = IamPolicy.requireIdentity();
  const own = name.withIam(policy, tokens);
  return Framework.http()
    .get("/bearer", own)
    .get("/cookie", own, { iam: { token: cookie("access") } })
    .get("/header", name, { guards: [new AuthGuard(policy, tokens, { token: header("x-access-token") })] })
    .get("/ticket", own, { iam: { token: TicketToken }, layers: [fromTicket] });
}

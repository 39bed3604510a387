// The examples as `framework fuzz` takes them, with resources in memory.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FrameworkConfig, IamError, type IamVerifier, openStores } from "framework";
import type { FuzzedApplication, FuzzIdentities } from "framework/fuzz";

import { receiver } from "../../examples/alerts/receiver.js";
import { ferry } from "../../examples/answers/cookies.js";
import { pier } from "../../examples/answers/faults.js";
import { desk } from "../../examples/answers/replies.js";
import { ferries } from "../../examples/bookings/app.js";
import { chat } from "../../examples/chat/chat.js";
import { shop as clusterShop } from "../../examples/cluster/shop.js";
import { shop as parts } from "../../examples/compression/catalogue.js";
import { app as sales } from "../../examples/configured/app.js";
import { departures } from "../../examples/constructs/resources.js";
import { service } from "../../examples/deploy/service.js";
import { tides as documentedTides } from "../../examples/documented/tides.js";
import { countdown } from "../../examples/events/countdown.js";
import { harbour as levels } from "../../examples/events/levels.js";
import { Accounts } from "../../examples/guarded-api/accounts.js";
import { accountsApi } from "../../examples/guarded-api/accounts-api.js";
import { guardedApi } from "../../examples/guarded-api/api.js";
import { gaugePage } from "../../examples/guarded-api/page.js";
import { Passwords } from "../../examples/guarded-api/passwords.js";
import { letters } from "../../examples/guards/access-log.js";
import { admit, gauge } from "../../examples/guards/api-key.js";
import { photographs } from "../../examples/guards/bodies.js";
import { pilotBook } from "../../examples/guards/conditional.js";
import { timetable } from "../../examples/guards/cors.js";
import { berths as csrfBerths } from "../../examples/guards/csrf.js";
import * as auth from "../../examples/guards/fuzzed.js";
import { payments } from "../../examples/guards/idempotency.js";
import { lock } from "../../examples/guards/ip-filter.js";
import { channel } from "../../examples/guards/own.js";
import { charts } from "../../examples/guards/rate-limit.js";
import { office } from "../../examples/guards/redirect.js";
import { tides as secureTides } from "../../examples/guards/security-headers.js";
import { berths } from "../../examples/identity/berths.js";
import { reservations } from "../../examples/identity/by-identity.js";
import { harbourBook } from "../../examples/identity/harbour.js";
import { places } from "../../examples/identity/places.js";
import { revoking } from "../../examples/identity/revoking.js";
import { ferryLine } from "../../examples/input/booking.js";
import { club as members } from "../../examples/input/form.js";
import { logBook } from "../../examples/input/stream.js";
import { album } from "../../examples/input/uploads.js";
import { parcels } from "../../examples/limits/parcels.js";
import { app as quotes } from "../../examples/nodes/app.js";
import * as orders from "../../examples/orders/fuzzed.js";
import { bakery as countedBakery } from "../../examples/own-metrics/bakery.js";
import { app as notes } from "../../examples/routes/app.js";
import { piers } from "../../examples/routing/groups.js";
import { harbour } from "../../examples/routing/guards.js";
import { ship } from "../../examples/routing/layers.js";
import { market } from "../../examples/routing/transactions.js";
import { clinic } from "../../examples/sensitive/clinic.js";
import { logbook } from "../../examples/sessions/logbook.js";
import { tides } from "../../examples/static/tides.js";
import { ledger } from "../../examples/streams/ledger.js";
import { ingress as books } from "../../examples/templates/api/src/app.js";
import { MemoryBooks } from "../../examples/templates/api/src/books.js";
import { MemoryAgenda } from "../../examples/templates/bookings/src/agenda.js";
import { ingress as newClinic } from "../../examples/templates/bookings/src/app.js";
import { ingress as dice } from "../../examples/templates/static/src/app.js";
import { ingress as forecasts } from "../../examples/templates/worker/src/app.js";
import { library } from "../../examples/testing/lending.js";
import { app as thumbnails } from "../../examples/thumbnails/app.js";
import { bakery } from "../../examples/tracing/bakery.js";
import { warehouse } from "../../examples/tracing/shop.js";
import { auction } from "../../examples/websocket/auction.js";

/** Callers of the identity examples, by their tokens. */
const callers: Readonly<Record<string, { roles: string[]; claims: Record<string, string> }>> = {
  ann: { roles: ["harbour-master"], claims: { scope: "book:write", jti: "1" } },
  ben: { roles: ["deputy"], claims: { shift: "night", jti: "2" } },
  dee: { roles: ["staff"], claims: {} },
  cat: { roles: ["archivist"], claims: { scope: "book:read" } },
};

const tokens: IamVerifier = {
  verify: (token) => {
    const caller = Object.hasOwn(callers, token) ? callers[token] : undefined;
    if (caller === undefined) return IamError.invalidToken("It is not known");
    return { subject: token, ...caller };
  },
};

const identities: FuzzIdentities = Object.fromEntries(
  Object.entries(callers).map(([token, caller]) => [
    token,
    {
      ...caller,
      headers: { authorization: `Bearer ${token}`, "x-access-token": token },
      cookies: { access: token },
    },
  ]),
);

const identified = (make: (tokens: IamVerifier) => object): FuzzedApplication => ({
  ingress: () => make(tokens),
  identities,
});

const alone = (make: () => object, resources?: () => object): FuzzedApplication =>
  resources === undefined ? { ingress: make } : { ingress: make, resources };

type FuzzIdentitiesOf = NonNullable<FuzzedApplication["identities"]>;

const OWN_PAGE = { "sec-fetch-site": "same-origin" };

/** A session in a cookie, and the token that pages send with it. */
const loggedIn =
  (login: object, roles: readonly string[], me: string): FuzzIdentitiesOf =>
  async (client) => {
    const { setCookies } = await client.post("/login", { json: login, headers: OWN_PAGE });
    const [name = "", value = ""] = (setCookies[0]?.split(";", 1)[0] ?? "").split("=");
    const cookies = { [name]: value };
    const { csrfToken = "" } = (await client.get(me, { cookies })).json as { csrfToken?: string };
    return { keeper: { roles, cookies, headers: { ...OWN_PAGE, "x-csrf-token": csrfToken } } };
  };

async function keptAccounts(): Promise<Accounts> {
  const accounts = new Accounts(new Passwords(2));
  await accounts.register({ name: "keeper", password: "twelve letters" }, ["admin"]);
  return accounts;
}

const uploads = mkdtempSync(join(tmpdir(), "framework-fuzzed-"));
process.on("exit", () => rmSync(uploads, { recursive: true, force: true }));

export const exampleApplications: Readonly<Record<string, FuzzedApplication>> = {
  "alerts/receiver": alone(() => receiver("whsec_c2VjcmV0", () => {})),
  "answers/cookies": alone(() => ferry([{ id: "a", secret: "0123456789abcdef0123456789abcdef" }]).ingress),
  "answers/faults": alone(pier),
  "answers/replies": alone(desk, () => ({ Tickets: new Map() })),
  bookings: alone(
    () => ferries("memory:"),
    () => ({ Payments: { charge: async (key: string) => `receipt-${key}`, refund: async () => {} } }),
  ),
  chat: alone(() => chat()),
  cluster: alone(
    () => clusterShop({ stores: openStores("memory:") }),
    () => ({ Host: { name: "a", release: "2", stepMs: 0 } }),
  ),
  compression: alone(parts, () => ({ Parts: [{ id: "1", name: "bolt", weight: 2 }] })),
  configured: alone(sales),
  "constructs/resources": alone(departures, () => ({
    Timetable: { next: async (at: string) => (at.length > 5 ? "06:12" : undefined) },
  })),
  deploy: alone(
    () => service,
    () => ({ Stock: { left: async () => 3, ping: async () => {}, [Symbol.asyncDispose]: async () => {} } }),
  ),
  "documented/tides": {
    ingress: () => documentedTides(tokens),
    identities: { ...identities, dee: { roles: ["staff"], cookies: { access: "dee" } } },
  },
  "events/countdown": alone(() => countdown(1)),
  "events/levels": alone(() => levels().ingress),
  "guarded-api/accounts": {
    ingress: async () => accountsApi({ accounts: await keptAccounts() }),
    identities: loggedIn({ name: "keeper", password: "twelve letters" }, ["admin"], "/page/me"),
  },
  "guarded-api/api": alone(
    () => guardedApi({ pageOrigin: "http://127.0.0.1:3001" }),
    () => ({ Gauge: { cm: 212 } }),
  ),
  "guarded-api/page": alone(() => gaugePage("http://127.0.0.1:3000")),
  "guards/access-log": alone(letters),
  "guards/api-key": {
    ingress: () => gauge(),
    identities: { station: { roles: ["station"], headers: { "x-api-key": admit("north") } } },
  },
  "guards/auth": auth,
  "guards/bodies": alone(() => photographs(async ({ length }) => length)),
  "guards/conditional": alone(pilotBook, () => ({
    Book: new Map([["amber", { text: "Rocks", version: 1 }]]),
  })),
  "guards/cors": alone(timetable),
  "guards/csrf": alone(csrfBerths),
  "guards/idempotency": alone(payments, () => ({ Till: [] })),
  "guards/ip-filter": alone(lock),
  "guards/own": alone(
    () => channel(() => {}),
    () => ({ Tide: { cm: 200 } }),
  ),
  "guards/rate-limit": alone(() => charts()),
  "guards/redirect": alone(office),
  "guards/security-headers": alone(secureTides),
  "identity/berths": identified((verifier) => berths(verifier, () => 9)),
  "identity/by-identity": identified(reservations),
  "identity/harbour": identified(harbourBook),
  "identity/places": identified(places),
  "identity/revoking": identified((verifier) => revoking(verifier)),
  "input/booking": alone(ferryLine),
  "input/form": alone(members),
  "input/stream": alone(logBook),
  "input/uploads": alone(album, () => ({ Archive: mkdtempSync(join(uploads, "archive-")) })),
  limits: alone(() => parcels(async () => 3)),
  nodes: alone(
    () => quotes(() => {}),
    () => ({ Rates: { percentOf: async () => 90 } }),
  ),
  orders,
  "own-metrics": alone(() => countedBakery("0123456789abcdef0123456789abcdef")),
  routes: alone(notes, () => ({ Notes: new Map() })),
  "routing/groups": alone(piers),
  "routing/guards": alone(() => harbour(3)),
  "routing/layers": alone(() => ship(() => {})),
  "routing/transactions": alone(market, () => ({
    Ledger: { begin: () => ({ add: () => {}, commit: async () => {}, rollback: async () => {} }) },
  })),
  sensitive: alone(clinic),
  sessions: {
    ingress: () => logbook(),
    identities: loggedIn({ name: "ann", password: "anchors aweigh" }, ["crew"], "/crew/me"),
  },
  static: alone(tides),
  "streams/ledger": alone(ledger, () => ({ Sales: { page: async () => [] } })),
  "templates/api": {
    ingress: () => books("a-librarian"),
    resources: () => ({ Books: new MemoryBooks() }),
    identities: { librarian: { roles: ["librarian"], headers: { authorization: "Bearer a-librarian" } } },
  },
  "templates/bookings": alone(newClinic, () => ({
    Agenda: new MemoryAgenda(),
    Payments: { charge: async (card: string) => (card.startsWith("0") ? "declined" : "charged") },
  })),
  "templates/static": alone(dice, () => ({ Chance: () => 0.5 })),
  "templates/worker": alone(() => forecasts()),
  testing: alone(library, () => ({
    Shelf: { take: async (book: string) => (book.length > 8 ? "lent" : "taken") },
  })),
  thumbnails: alone(thumbnails),
  "tracing/bakery": alone(() => bakery(FrameworkConfig.load())),
  "tracing/shop": alone(warehouse),
  websocket: alone(auction),
};

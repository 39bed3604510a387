// A service behind proxies: whom it believes, whose requests it takes, and how many.

import { Axon, ClientIp, Framework, RequestScheme } from "framework";

/** Absent where no proxy names the client, so it is read with `find`. */
const whoami = Axon.start("whoami").thenFn(
  "tell",
  { uses: { requestScheme: RequestScheme }, mayUse: { ip: ClientIp } },
  (_, bus) => ({ ip: bus.ip ?? null, scheme: bus.requestScheme }),
);

/** Takes as long as it takes, and stops when the run's time is up. */
const inventory = (count: (signal: AbortSignal) => Promise<number>) =>
  Axon.start("inventory").thenFn("count", async (_, bus) => ({ parcels: await count(bus.signal) }));

export const parcels = (count: (signal: AbortSignal) => Promise<number>) =>
  Framework.http({
    trustedProxies: ["10.0.0.0/8", "127.0.0.1", "::1"],
    allowedHosts: ["parcels.example", "*.parcels.example"],
    maxConnections: 5000,
    maxInFlight: 500,
    routeTimeoutMs: 5000,
    processGuards: false,
  })
    .get("/whoami", whoami)
    .get("/inventory", inventory(count), { timeoutMs: 250 });

/** The same behind a balancer that hands bytes on as they come, and says in front of them whose they are. */
export const parcelsBehindBalancer = () =>
  Framework.http({ trustedProxies: ["127.0.0.1"], proxyProtocol: "v2", processGuards: false }).get(
    "/whoami",
    whoami,
  );

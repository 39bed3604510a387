// A tide gauge: stations report with keys of their own, and each is limited by itself.

import { Axon, Framework, IamIdentity, IamPolicy } from "framework";
import {
  ApiKeyGuard,
  type ApiKeyRecord,
  ApiKeyVerifier,
  cached,
  newApiKey,
  RateLimitGuard,
} from "framework/std";

/** What a database would keep of the keys, by their ids: nothing that anybody could send. */
const stations = new Map<string, ApiKeyRecord>();
const keys = cached(new ApiKeyVerifier({ prefix: "tide", find: (id) => stations.get(id) }));

/** Answers a key that is shown once. */
export function admit(station: string): string {
  const { key, id, hash } = newApiKey({ prefix: "tide" });
  stations.set(id, { hash, subject: station, roles: ["station"] });
  return key;
}

export function dismiss(station: string): void {
  for (const [id, { subject }] of stations) if (subject === station) stations.delete(id);
  // Here it ends at once; another process remembers its identity for a minute at most.
  keys.forgetSubject(station);
}

const report = Axon.start("report").thenFn(
  "thank",
  { uses: { identity: IamIdentity } },
  (_, bus) => `Thank you, ${bus.identity.subject}`,
);

export const gauge = (now: () => number = () => performance.now()) =>
  Framework.http()
    .guard(new ApiKeyGuard(keys, { policy: IamPolicy.requireRole("station") }))
    .guard(new RateLimitGuard(2, 60_000, { now }))
    .post("/levels", report);

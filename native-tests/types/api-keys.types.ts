// Compiled, never run: an unused @ts-expect-error fails the build. Each says what
// must not compile.

import { Axon, Framework, IamIdentity, IamPolicy } from "framework";
import { ApiKeyGuard, ApiKeyVerifier, cached } from "framework/std";

const keys = new ApiKeyVerifier({ prefix: "acme", keys: [] });
const whoami = Axon.start("whoami").thenFn("say", (_, bus) => bus.get(IamIdentity).subject, {
  reads: [IamIdentity],
});

// Behind a guard that demands an identity, a step gets it.
Framework.http().get("/", whoami, { guards: [new ApiKeyGuard(keys)] });
Framework.http()
  .guard(new ApiKeyGuard(cached(keys)))
  .get("/", whoami);
Framework.http()
  .guard(new ApiKeyGuard(keys, { policy: IamPolicy.requireRole("admin") }))
  .get("/", whoami);

Framework.http()
  .guard(new ApiKeyGuard(keys, { policy: IamPolicy.none() }))
  // @ts-expect-error: where anybody is let in, an identity can be missing
  .get("/", whoami);

// @ts-expect-error: keys are in a list or are looked up, not both
new ApiKeyVerifier({ prefix: "acme", keys: [], find: () => undefined });

// @ts-expect-error: without either nobody has a key
new ApiKeyVerifier({ prefix: "acme" });

// @ts-expect-error: a record needs a hash
new ApiKeyVerifier({ prefix: "acme", keys: [{ id: "x", subject: "alice" }] });

// @ts-expect-error: `ttl` is no option
cached(keys, { ttl: 5 });

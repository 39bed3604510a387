// Compiled, never run: an unused @ts-expect-error fails the build. Each says what
// must not compile.

import {
  Axon,
  Bus,
  ClientIp,
  Framework,
  type IamError,
  IamIdentity,
  IamPolicy,
  IamToken,
  type IamVerifier,
  VerifiedIdentity,
} from "framework";
import { AuthGuard } from "framework/std";
import type { ErrorsOf, NeedsOf } from "#runtime/axon/axon-flow.js";

type Is<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const yes = <T extends true>(): T => true as T;

const verifier: IamVerifier = { verify: () => ({ subject: "a", roles: [], claims: {} }) };
const { requireIdentity, requireRole, none, anyOf, allOf } = IamPolicy;
const me = Axon.start("me").thenFn("me", (_, bus) => bus.get(IamIdentity).subject, { reads: [IamIdentity] });
const ingress = Framework.http();

// What must compile
const before = Axon.start("b").withIam(requireIdentity(), verifier);
const after = me.withIam(requireRole("a"), verifier);
yes<Is<NeedsOf<typeof after>, never>>();
yes<Is<ErrorsOf<typeof after>, IamError>>();
yes<Is<typeof after extends { execute: never } ? false : true, true>>();
ingress.get("/me", after);
ingress.get("/guarded", me, { guards: [new AuthGuard(requireIdentity(), verifier)] });
ingress.get("/route", me, { iam: { policy: requireIdentity(), verifier } });
ingress.group("/g", { guards: [new AuthGuard(requireIdentity(), verifier)] }, (g) => g.get("/me", me));
ingress.get("/found", Axon.start("f").withIam(none(), verifier));
void after.execute(undefined, Bus.of([[IamToken, "t"]]));
before.thenFn("both", (_, bus) => `${bus.get(IamIdentity).subject} ${bus.get(VerifiedIdentity)}`, {
  reads: [IamIdentity, VerifiedIdentity],
});
ingress.get("/whole", Axon.start("outer").subgraph(before).subgraph(me));
ingress.get("/all", me.withIam(allOf(none(), requireRole("a")), verifier));
ingress.get("/any", me.withIam(anyOf(requireRole("b"), requireRole("a")), verifier));
const bySize: IamPolicy = none();

// What must not compile

// @ts-expect-error with none() nobody has to have an identity
ingress.get("/none", me.withIam(none(), verifier));
// @ts-expect-error one of the two lets in anybody
ingress.get("/any", me.withIam(anyOf(none(), requireRole("a")), verifier));
// @ts-expect-error of this policy nothing is known
ingress.get("/some", me.withIam(bySize, verifier));
// @ts-expect-error a guard with none() promises no identity
ingress.get("/guarded", me, { guards: [new AuthGuard(none(), verifier)] });
// @ts-expect-error nor does a route's
ingress.get("/route", me, { iam: { policy: none(), verifier } });
// @ts-expect-error the identity is needed from outside
me.execute();
// @ts-expect-error a verifier says whose a token is
Axon.start("v").withIam(requireIdentity(), { verify: () => true });
// @ts-expect-error a token is a text
Axon.start("t").withIam(requireIdentity(), verifier, { token: IamIdentity });
// @ts-expect-error there is no such option
Axon.start("o").withIam(requireIdentity(), verifier, { place: ClientIp });
// @ts-expect-error there is no such option
ingress.get("/o", after, { iam: { weakens: "x" } });
ingress.get("/fault", after, {
  // @ts-expect-error the only fault is an IamError
  onFault: (error: { readonly mine: true }) => (error.mine ? undefined : undefined),
});

// Who is verified first is counted, and answered once, by who he is and not by where he sits.

import { Axon, Framework, IamIdentity, IamPolicy, type IamVerifier, Type } from "framework";
import { AuthGuard, IdempotencyGuard, RateLimitGuard } from "framework/std";

const Order = Type.Object({ berth: Type.String() });

export function reservations(tokens: IamVerifier) {
  let number = 0;
  const reserve = Axon.start("reserve", Order).thenFn(
    "reserve",
    { uses: { identity: IamIdentity } },
    ({ berth }, bus) => {
      number += 1;
      return { number, berth, by: bus.identity.subject };
    },
  );
  return (
    Framework.http()
      .guard(new AuthGuard(IamPolicy.requireIdentity(), tokens))
      // Behind it. In front, or with `withIam` in its place, it would count addresses.
      .guard(new RateLimitGuard(3, 60_000))
      .post("/reservations", reserve, { guards: [new IdempotencyGuard()] })
  );
}

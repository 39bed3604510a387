// A service that speaks TLS itself. CERT and KEY name its files.

import { Axon, Framework, OwnOrigin, RequestScheme } from "framework";
import { SecurityHeadersGuard } from "framework/std";

const where = Axon.start("where").thenFn(
  "tell",
  { uses: { requestScheme: RequestScheme, ownOrigin: OwnOrigin } },
  (_, bus) => ({ scheme: bus.requestScheme, origin: bus.ownOrigin }),
);

export interface Files {
  readonly cert: string;
  readonly key: string;
}

export const lighthouse = ({ cert, key }: Files) =>
  Framework.http()
    .tls(cert, key)
    // Its HSTS goes to who spoke https, which here is everybody.
    .guard(new SecurityHeadersGuard())
    .get("/where", where);

/** Two sites behind one port: clients say by SNI which one they want. */
export const lighthouses = ({ cert, key }: Files, keeper: Files) =>
  Framework.http()
    .tls(cert, key, { names: { "keeper.example": keeper } })
    .get("/where", where);

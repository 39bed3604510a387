// A passenger who is known by a cookie that only this server can have made, and one that
// only this server can read.

import {
  Axon,
  CookieKeys,
  encryptedCookie,
  Framework,
  json,
  respond,
  Secret,
  setCookie,
  signedCookie,
  Type,
} from "framework";

const Passenger = Type.Object({ name: Type.String({ maxLength: 40 }), seat: Type.String({ maxLength: 4 }) });

/** The first secret seals, all of them open: a new one goes in front. */
export function ferry(secrets: readonly { readonly id: string; readonly secret: string }[]) {
  const keys = new CookieKeys(secrets.map(({ id, secret }) => ({ id, secret: new Secret(secret) })));
  const Name = signedCookie("__Host-name", keys, { maxAge: 86_400 });
  const Seat = encryptedCookie("__Host-seat", keys, { sameSite: "strict" });

  const checkIn = Axon.start<{ name: string; seat: string }>("check-in").thenFn(
    "remember",
    { responses: [{ status: 204 }] },
    ({ name, seat }) =>
      respond({ cookies: [Name.set(name), Seat.set(seat), setCookie("theme", "sea", { httpOnly: false })] }),
  );
  const seat = Axon.start("seat").thenFn(
    "tell",
    { mayUse: { name: Name, seat: Seat } },
    (_, bus) => `${bus.name ?? "Somebody"}, ${bus.seat ?? "no seat yet"}`,
  );
  const leave = Axon.start("leave").thenFn("forget", { responses: [{ status: 204 }] }, () =>
    respond({ cookies: [Name.delete(), Seat.delete()] }),
  );

  return {
    /** How many cookies were not taken, and why. */
    refused: () => Name.refused,
    ingress: Framework.http()
      .post("/check-in", checkIn, { input: json(Passenger) })
      .get("/seat", seat)
      .post("/leave", leave),
  };
}

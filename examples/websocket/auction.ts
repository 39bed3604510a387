// An auction: whoever connects sees the highest bid of a lot, and may outbid it.

import { Axon, connectionOf, Framework, fault, ProblemDetail, param, Rooms, Type } from "framework";

const Bid = Type.Object({ amount: Type.Integer({ minimum: 1 }) });
const Highest = Type.Object({ lot: Type.String(), amount: Type.Integer(), by: Type.String() });

interface Bidder {
  readonly lot: string;
  readonly name: string;
}

const anonymous = new ProblemDetail({ status: 403, code: "NO_NAME", title: "Say who bids: ?name=..." });
const tooLow = new ProblemDetail({ status: 409, code: "TOO_LOW", title: "Somebody has bid more" });

export function auction() {
  const highest = new Map<string, { readonly amount: number; readonly by: string }>();

  /** Runs for each message, which has been checked against `Bid`. What it answers goes back to the bidder. */
  const bid = Axon.start("bid", Bid)
    .thenFn("outbid", { reads: [connectionOf<Bidder>()] }, ({ amount }, bus) => {
      const connection = bus.get(connectionOf<Bidder>());
      const { lot, name: by } = connection.state;
      if (amount <= (highest.get(lot)?.amount ?? 0)) return fault(tooLow);
      highest.set(lot, { amount, by });
      const news = { lot, amount, by };
      connection.publish(lot, news);
      return news;
    })
    .withOutputSchema(Highest);

  /** An ordinary request, which tells everybody who watches the lot. */
  const hammer = Axon.start("hammer").thenFn(
    "sell",
    { uses: { lot: param("lot"), rooms: Rooms } },
    (_, bus) => {
      const { lot } = bus;
      const sold = highest.get(lot) ?? { amount: 0, by: "nobody" };
      bus.rooms.publish(lot, { lot, sold: true, ...sold });
      return { lot, ...sold };
    },
  );

  return Framework.http()
    .ws("/lots/:lot", {
      allowedOrigins: ["https://auction.example"],
      maxMessageBytes: 1024,
      responses: [anonymous],
      open: ({ path, query }, connection) => {
        const name = new URLSearchParams(query).get("name");
        if (name === null) return fault(anonymous);
        const lot = decodeURIComponent(path.slice("/lots/".length));
        connection.subscribe(lot);
        connection.send({ lot, amount: 0, by: "nobody", ...highest.get(lot) });
        return { lot, name };
      },
      message: bid,
      close: ({ code }, connection) => {
        const { lot, name } = connection.state;
        if (code !== 1000) connection.publish(lot, { lot, left: name });
      },
    })
    .post("/lots/:lot/hammer", hammer);
}

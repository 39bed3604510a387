// An application whose Axon may change: for `framework replay`.

import { createConnection } from "node:net";

import { Axon, Framework, openStores, Sensitive, Stores, Type, transition } from "framework";

const Order = Type.Object({
  email: Sensitive(Type.String(), { category: "email" }),
  prices: Type.Array(Type.Number()),
});

export interface Changes {
  /** Of the sum: 1 in the first release. */
  readonly factor?: number;
  /** A port to which the last step sends mail, undeclared. */
  readonly mailPort?: number;
}

/** Resolves once the server has said something. */
const mailed = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = createConnection(port, "127.0.0.1", () => socket.end("MAIL FROM:<shop@example.org>\r\n"));
    socket.on("error", reject).on("close", () => resolve("mailed"));
  });

export const orders = ({ factor = 1, mailPort }: Changes = {}) =>
  Axon.start("order", Order)
    .withPersistenceStore(Stores.mounted)
    .then(
      transition({
        name: "sum",
        pure: true,
        run: (order: { readonly email: string; readonly prices: readonly number[] }) => ({
          ...order,
          sum: order.prices.reduce((sum, price) => sum + price, 0) * factor,
        }),
      }),
    )
    .then(
      transition({
        name: "pay",
        effect: true,
        run: (order: { readonly email: string; readonly sum: number }) => ({ ...order, receipt: "r-1" }),
      }),
    )
    .then(
      transition({
        name: "tell",
        run: async ({ email, sum }: { readonly email: string; readonly sum: number }) => {
          if (mailPort !== undefined) await mailed(mailPort).catch(() => "not mailed");
          return { email, text: `${sum} paid by ${email}` };
        },
      }),
    );

export const replayedApp = (url: string, changes: Changes = {}) =>
  Framework.http({ processGuards: false })
    .stores(openStores(url))
    .post("/orders", orders(changes), { detached: true })
    .bind("127.0.0.1:0");

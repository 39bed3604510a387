// An Axon whose runs are replayed, with changes of its code: a loop, parallel steps, a mail by SMTP.

import { createConnection } from "node:net";

import { Axon, fault, jump, transition } from "framework";
import type { RunStore } from "framework/core";

export interface Changes {
  readonly first?: true;
  readonly last?: true;
  /** The pass of the loop, counted backwards. */
  readonly loopAt?: number;
  readonly parallel?: true;
  /** What became of the step that sends mail, and of its declaration. */
  readonly mail?: "undeclared" | "caught";
}

interface World {
  readonly smtpPort: number;
  readonly asked: { count: number };
}

interface Journey {
  readonly left: number;
  readonly total: number;
}

/** Resolves when the server has taken the mail. */
const sentMail = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const lines = ["EHLO shop", "MAIL FROM:<shop@example.org>", "RCPT TO:<ann@example.org>", "QUIT"];
    const socket = createConnection(port, "127.0.0.1").setEncoding("utf8");
    socket.on("data", () => {
      const line = lines.shift();
      if (line === undefined) socket.end();
      else socket.write(`${line}\r\n`);
    });
    socket.on("error", reject).on("close", () => resolve());
  });

export const journeys = (store: RunStore, { smtpPort, asked }: World, changes: Changes = {}) => {
  const { first = false, last = false, loopAt, parallel = false, mail } = changes;
  return Axon.start<Journey>("journey")
    .withPersistenceStore(store)
    .then(
      transition({
        ...{ name: "first", pure: true },
        run: ({ left, total }: Journey): Journey => ({ left, total: total + (first ? 1 : 0) }),
      }),
    )
    .label("again")
    .then(
      transition({
        ...{ name: "count", pure: true, jumps: ["again"] },
        run: ({ left, total }: Journey) => {
          const now = { left: left - 1, total: total + (left === loopAt ? 2 : 1) };
          return now.left > 0 ? jump("again", now) : now.total;
        },
      }),
    )
    .parallel(
      [
        transition({
          ...{ name: "ask", effect: true },
          run: async (total: number) => {
            asked.count += 1;
            return total * Math.random();
          },
        }),
        transition({ name: "double", pure: true, run: (total: number) => total * (parallel ? 3 : 2) }),
        transition({ name: "half", run: (total: number) => total / 2 }),
      ],
      "AllMustSucceed",
      ([rate, double, half]) => ({ rate, double, half }),
      { name: "sides" },
    )
    .then(
      transition({
        name: "mail",
        ...(mail === undefined && { effect: true }),
        run: async (sides: { readonly rate: number; readonly double: number; readonly half: number }) => {
          const sent = sentMail(smtpPort);
          if (mail === "caught") await sent.catch(() => {});
          else await sent;
          return sides;
        },
      }),
    )
    .thenFn("last", ({ rate, double, half }) =>
      Number.isFinite(rate) ? { sum: double + half + (last ? 1 : 0) } : fault("no rate"),
    );
};

// Tickets are paid for once, however often a client asks because it has heard nothing.

import { Axon, busKey, Framework, respond, Type } from "framework";
import { IdempotencyGuard } from "framework/std";

const Payment = Type.Object({ ticket: Type.String({ maxLength: 20 }), cents: Type.Integer({ minimum: 1 }) });
const Till = busKey<string[]>()("Till");

const pay = Axon.start("pay", Payment).thenFn(
  "pay",
  { uses: { till: Till }, responses: [{ status: 201 }] },
  ({ ticket, cents }, bus) => {
    const { till } = bus;
    till.push(`${ticket}: ${cents}`);
    return respond({ status: 201, body: { receipt: till.length } });
  },
);

export const payments = () =>
  Framework.http({ resources: [Till] }).post("/payments", pay, {
    guards: [new IdempotencyGuard({ required: true, ttlMs: 3_600_000 })],
  });

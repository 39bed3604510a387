// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/examples/bookings/main.ts

import { FrameworkConfig } from "framework";

import { ferries } from "./app.js";
import { Payments } from "./payments.js";

const { STORES = "sqlite:.framework/bookings.db", PAYMENTS = "payments.jsonl" } = process.env;
const { PAYMENT_MS = "0", LEASE_MS = "10000" } = process.env;

const server = await ferries(STORES, Number(LEASE_MS))
  .config(FrameworkConfig.load())
  .run({ Payments: new Payments(PAYMENTS, Number(PAYMENT_MS)) });

console.log(`listening on ${server.url}

  curl ${server.url}/bookings -H 'content-type: application/json' -d '{"passenger":"Ada","cabin":7,"cents":4200}'

Start it with PAYMENT_MS=20000, book, and kill it with \`kill -9 ${process.pid}\` before the answer: the next
start resumes the booking within ${LEASE_MS} ms. STORES=postgres://... keeps it in PostgreSQL.`);

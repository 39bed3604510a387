import { FrameworkConfig } from "framework";

import { MemoryAgenda } from "./agenda.js";
import { ingress } from "./app.js";
import { trialPayments } from "./payments.js";

const config = FrameworkConfig.load();
const log = config.initLogging();

const server = await ingress()
  .config(config)
  .inspector()
  .run({ Agenda: new MemoryAgenda(), Payments: trialPayments });
log.info({ url: server.url }, "The clinic takes bookings");

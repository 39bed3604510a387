import { Framework } from "framework";
import type { LogRecord } from "framework/std";

import { Rates } from "./parcel.js";
import { quote } from "./quote.js";

/** The quotes as an HTTP server. `write` takes its log; by default that is the log of the process. */
export const app = (write?: (record: LogRecord) => void) =>
  Framework.http({ resources: [Rates] })
    .requestIdLayer()
    .post("/quotes", quote(write));

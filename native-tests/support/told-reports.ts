import type { HttpIngress, Report } from "framework";
import { TestApp } from "framework/http";

import { keepLog } from "./logged-ingress.js";

/** What was reported of requests to an ingress, and what the log has of it. */
export async function reportsOf(
  ingress: HttpIngress<any, any>,
  ask: (app: TestApp<any>) => Promise<unknown>,
): Promise<{ readonly reports: readonly Report[]; readonly logged: string }> {
  const reports: Report[] = [];
  const { text } = keepLog(ingress);
  const { reporter } = ingress.plan;
  ingress.plan = {
    ...ingress.plan,
    reporter: (report) => {
      reports.push(report);
      reporter(report);
    },
  };
  const app = new TestApp<any>(ingress, {});
  await app.start();
  await ask(app);
  await app.close();
  return { reports, logged: text() };
}

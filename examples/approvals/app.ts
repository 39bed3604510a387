import { Framework, IamPolicy, type openStores } from "framework";

import { Approval, claim, OfficeKey, staff } from "./claims.js";

export const expenses = (stores: ReturnType<typeof openStores>, leaseMs = 10_000) =>
  Framework.http({ resources: [OfficeKey] })
    .stores(stores, { leaseMs })
    .readinessLivenessDefault()
    // 202 at once, with the location of the status.
    .post("/claims", claim, { detached: true, summary: "Files an expense claim" })
    .runStatus("/claims/:run_id")
    .runSignal("/claims/:run_id/approval", Approval, {
      iam: { policy: IamPolicy.requireIdentity(), verifier: staff },
      // A manager decides, and never about a claim of their own.
      allow: (caller, run) => caller?.roles.includes("manager") === true && !run.isOwn,
    })
    .openapi("/openapi.json", { info: { title: "Expense claims", version: "1.0.0" } });

// A process of `framework fuzz`: imports the module and sends requests to its application. Before each request it
// says which one, since a step may end the process or block it.

import type { FuzzedApplication } from "#fuzz/application.js";
import { type FuzzOptions, fuzzWith } from "#fuzz/fuzz.js";
import type { FuzzRequest } from "#fuzz/fuzz-request.js";
import { type ReplayOptions, replay } from "#fuzz/replay.js";
import { ingressExport, moduleOf } from "../application/application.js";
import { UsageError } from "../terminal/command.js";
import type { Asked, Told } from "./fuzz-child.js";

const tell = (told: Told): Promise<void> =>
  new Promise((resolve) => process.send?.(told, undefined, undefined, () => resolve()));

async function applicationOf(file: string) {
  const exported = await moduleOf(file);
  const ingress = await ingressExport(exported, file);
  const exports = (["resources", "identities"] as const).filter((name) => Object.hasOwn(exported, name));
  return { application: { ...exported, ingress: exported[ingress] } as FuzzedApplication, ingress, exports };
}

async function answered({ file, options, until, requests }: Asked): Promise<void> {
  const { application, ingress, exports } = await applicationOf(file);
  if (requests !== undefined) await replay(application, requests, options as ReplayOptions);
  else {
    const given: FuzzOptions = {
      ...options,
      progress: (progress) => void tell({ kind: "progress", progress }),
    };
    const sending = (request: FuzzRequest, round: number, isFirst: boolean) =>
      tell({ kind: "sending", request, round, isFirst });
    const report = await fuzzWith(application, given, { sending, until });
    await tell({ kind: "report", report, ingress, exports });
  }
}

process.once("message", async (asked: Asked) => {
  try {
    await answered(asked);
  } catch (error) {
    const { code, message, cause } = error as Error & { readonly code?: unknown };
    const because = cause instanceof Error ? `${message}: ${cause.message}` : message;
    const failed = { code: typeof code === "string" ? code : "", message: because };
    await tell({ kind: "failed", ...failed, isUsage: error instanceof UsageError });
  }
  process.exit();
});
// The command has ended.
process.once("disconnect", () => process.exit());

// What the wire tests of files talk to.

import { readdirSync, readlinkSync, realpathSync } from "node:fs";

import { Axon, Framework } from "framework";
import type { Options } from "./served.js";

/** How many descriptors of the directory's files are open. */
function openFiles(site: string): number {
  return readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(`${site}/`);
    } catch {
      return false;
    }
  }).length;
}

export const ingress = ({ folder, ...options }: Options & { readonly folder: string }) => {
  const site = realpathSync(folder);
  const reports: string[] = [];
  /** A busy machine holds the event loop, and nothing is wrong. */
  const reporter = ({ code }: { readonly code: string }): void => {
    if (code !== "LOOP_BLOCKED") reports.push(code);
  };
  const facts = Axon.start("facts").thenFn("facts", () => {
    globalThis.gc?.();
    const { rss, arrayBuffers } = process.memoryUsage();
    return { openFiles: openFiles(site), reports: reports.splice(0), rss, arrayBuffers };
  });

  return Framework.http({ reporter, ...options })
    .bind("127.0.0.1:0")
    .requestIdLayer()
    .get("/facts", facts)
    .serveDir("/static", site)
    .serveDir("/few", site, { maxOpenFiles: 2 })
    .serveDir("/kept", site, { cache: { maxAgeMs: 3_600_000 } })
    .serveDir("/disk", site, { cache: false });
};

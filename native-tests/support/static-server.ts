// What the wire tests of files talk to. SITE is its directory.

import { readdirSync, readlinkSync, realpathSync } from "node:fs";

import { Axon, Framework } from "framework";

const site = realpathSync(process.env["SITE"] as string);
const reports: string[] = [];

/** How many descriptors of the directory's files are open. */
function openFiles(): number {
  return readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(`${site}/`);
    } catch {
      return false;
    }
  }).length;
}

const facts = Axon.start("facts").thenFn("facts", () => {
  globalThis.gc?.();
  const { rss, arrayBuffers } = process.memoryUsage();
  return { openFiles: openFiles(), reports: reports.splice(0), rss, arrayBuffers };
});

/** A busy machine holds the event loop, and nothing is wrong. */
const reporter = ({ code }: { readonly code: string }): void => {
  if (code !== "LOOP_BLOCKED") reports.push(code);
};

const server = await Framework.http({ reporter })
  .bind("127.0.0.1:0")
  .requestIdLayer()
  .get("/facts", facts)
  .serveDir("/static", site)
  .serveDir("/few", site, { maxOpenFiles: 2 })
  .serveDir("/kept", site, { cache: { maxAgeMs: 3_600_000 } })
  .serveDir("/disk", site, { cache: false })
  .run();

console.log(`listening ${server.address}`);

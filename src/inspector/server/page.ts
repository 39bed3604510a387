// Serves the page's build without authentication: it contains no data.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fault } from "#core/bus/outcome.js";
import { respond } from "#core/bus/reply.js";
import { html } from "#core/wire/html.js";
import type { HttpIngress } from "#http/ingress/ingress.js";
import { Refusal } from "#http/refusal/refusal.js";
import { Axon } from "#runtime/axon/axon.js";

/** Options of a route without guards. */
interface Open {
  readonly without: readonly string[];
}

const UNBUILT = html(
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Inspector</title><p>The page of the Inspector is not built: run <code>npm run build</code>. Its API answers under /api/v1.</p></html>',
);

/** Serves `index.html` at "/" and the `assets` folder at "/assets". */
export function servePage(ingress: HttpIngress<never, never>, folder: string | undefined, open: Open): void {
  const isBuilt = folder !== undefined && existsSync(join(folder, "index.html"));
  const page = isBuilt ? html(readFileSync(join(folder, "index.html"), "utf8")) : UNBUILT;
  const headers = { "cache-control": "no-cache" };
  const show = Axon.start("GET /").thenFn("show the page", () => respond({ headers, body: page }));
  ingress.get("/", show, { ...open, summary: "The page" });
  if (isBuilt && existsSync(join(folder, "assets")))
    ingress.serveDir("/assets", join(folder, "assets"), {
      ...open,
      index: false,
      // The build names each file by a hash of its contents.
      immutable: /./,
      summary: "The page's files",
    });
  else ingress.get("/assets/*path", NOTHING, { ...open, summary: "The page's files" });
}

const NOTHING = Axon.start("GET /assets/*path").thenFn("refuse", () => fault(new Refusal("NOT_FOUND")));

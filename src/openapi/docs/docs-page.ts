// The page itself. Its links are relative, so that they hold behind a proxy that removes a prefix.

import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { posix } from "node:path";

import type { BusKey } from "#core/bus/bus-key.js";
import { type Reply, respond } from "#core/bus/reply.js";
import { RequestPath } from "#core/facts/ingress-facts.js";
import { type Html, html } from "#core/wire/html.js";
import { Axon } from "#runtime/axon/axon.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";

export interface DocsPageOptions {
  /** As mounted. */
  readonly path: string;
  /** The path below which its files are served. */
  readonly assets: string;
  /** The folder of its files; undefined where they are not built. */
  readonly folder: string | undefined;
  /** The path of the document. */
  readonly document: string;
  readonly sendCookies: boolean;
}

const UNBUILT = html(
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>API</title><p>The files of this page are not built: run <code>node scripts/docs-page.mjs</code> and start the program again.</p></html>',
);

// Its own script and style, and calls to its own origin. The nonce keeps out other scripts of the
// origin, such as an uploaded file.
const headersOf = (nonce: string) => ({
  "content-security-policy": `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  // A nonce is for one response.
  "cache-control": "no-store",
});

export class DocsPage {
  readonly #options: DocsPageOptions;
  readonly #files: readonly string[];

  constructor(options: DocsPageOptions) {
    this.#options = options;
    this.#files = options.folder === undefined ? [] : readdirSync(options.folder);
  }

  response(requestPath: string): Reply<Html> {
    const { path, assets, document, sendCookies } = this.#options;
    const [script, style] = ["js", "css"].map((ending) =>
      this.#files.find((name) => name.endsWith(`.${ending}`)),
    );
    const nonce = randomBytes(18).toString("base64url");
    const headers = headersOf(nonce);
    if (script === undefined || style === undefined) return respond({ headers, body: UNBUILT });
    // `trailingSlash: "ignore"` also serves "/docs/", from where links begin one segment lower.
    const up = requestPath.endsWith("/") && !path.endsWith("/") ? "../" : "./";
    const from = path.slice(0, path.lastIndexOf("/") + 1);
    const link = (to: string): string => encodeURI(up + posix.relative(from, to)).replaceAll("&", "&amp;");
    const body = html(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" nonce="${nonce}" href="${link(`${assets}/${style}`)}">
<script defer nonce="${nonce}" src="${link(`${assets}/${script}`)}"></script>
</head>
<body>
<noscript>This page needs JavaScript. The document is <a href="${link(document)}">here</a>.</noscript>
<div id="swagger-ui" data-document="${link(document)}" data-cookies="${sendCookies ? "include" : "omit"}"></div>
</body>
</html>
`);
    return respond({ headers, body });
  }
}

export const docsAxon = (key: BusKey<DocsPage, string>): AnyAxon =>
  Axon.start<void>("docs").thenFn("page", (_, bus) => bus.get(key).response(bus.get(RequestPath)), {
    reads: [key, RequestPath],
  });

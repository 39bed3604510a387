// A page that uses the API from another origin. What it may load and ask is in its own policy.

import { readFileSync } from "node:fs";

import { Axon, Framework, html } from "framework";
import { SecurityHeaders } from "framework/core";
import { SecurityHeadersGuard, SecurityPolicy } from "framework/std";

const fileBeside = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");

const style = fileBeside("style.css");
const script = fileBeside("script.js");

const documentOf = (apiOrigin: string, nonce: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Tide gauge</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${style}</style>
<main data-api="${apiOrigin}">
  <h1>Tide gauge</h1>
  <p>This page is of <code id="own"></code> and asks the API of <code>${apiOrigin}</code>.</p>
  <p class="level"><output id="level" aria-label="Level">No reading yet</output></p>
  <div class="buttons">
    <button id="read">Read</button>
    <button id="burst">Read until refused</button>
    <button id="record">Record 205 cm</button>
  </div>
  <table aria-label="Answers" aria-live="polite">
    <thead>
      <tr><th scope="col">Request<th scope="col">Status<th scope="col">Requests left<th scope="col">Retry after<th scope="col">Answer
    </thead>
    <tbody id="answers"></tbody>
  </table>
</main>
<script type="module" nonce="${nonce}">${script}</script>
`;

/** `apiOrigin` is the program's own text: it is not escaped. */
export function gaugePage(apiOrigin: string) {
  const page = Axon.start("page").thenFn("draw", { uses: { securityHeaders: SecurityHeaders } }, (_, bus) =>
    html(documentOf(apiOrigin, bus.securityHeaders.nonce ?? "")),
  );
  const policy = SecurityPolicy.default()
    .withCsp({ "default-src": "'none'", "connect-src": apiOrigin, "img-src": "data:" })
    .withNonce();

  return Framework.http().guard(new SecurityHeadersGuard(policy)).get("/", page);
}

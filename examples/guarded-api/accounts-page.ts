// The page of the accounts. Its script and style are files of its own origin: nothing that
// somebody writes into the page runs.

import { readFileSync } from "node:fs";

import { Axon, html, respond } from "framework";

const fileBeside = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");

function file(name: string, type: string) {
  const answer = respond({ headers: { "content-type": type }, body: fileBeside(name) });
  return Axon.start(name).thenFn("give", () => answer);
}

const page = html(fileBeside("accounts.html"));

export const pageFiles = {
  document: Axon.start("accounts-page").thenFn("draw", () => page),
  script: file("accounts-script.js", "text/javascript; charset=utf-8"),
  style: file("accounts-style.css", "text/css; charset=utf-8"),
};

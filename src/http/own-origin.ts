import type { Client } from "./client.js";

const DEFAULT_PORT = { http: /:80$/, https: /:443$/ } as const;

// Clients of one server send one Host, by one scheme: what was made last is kept.
let last = { scheme: "http", host: "", text: "http://" };

/** This server as the client sees it (RFC 6454, section 4): the Host header, without the scheme's own port. */
export function ownOrigin(scheme: Client["scheme"], host: string): string {
  if (last.host !== host || last.scheme !== scheme) {
    const text = `${scheme}://${host.toLowerCase().replace(DEFAULT_PORT[scheme], "")}`;
    last = { scheme, host, text };
  }
  return last.text;
}

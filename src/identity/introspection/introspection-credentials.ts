import { invalidOption } from "#core/invalid-option.js";
import { Secret } from "#core/secrets/secret.js";

/** How this program authenticates to the server (RFC 6749, section 2.3.1). */
export type ClientAuthentication = "client_secret_basic" | "client_secret_post";

/** The credentials of each request to the server. */
export interface ClientCredentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, string>>;
}

/** Throws CONFIG_INVALID. The error quotes no credential. */
export function clientCredentials(
  call: string,
  clientId: string,
  clientSecret: string | Secret<string>,
  authentication: ClientAuthentication,
): ClientCredentials {
  const secret = clientSecret instanceof Secret ? clientSecret.reveal() : clientSecret;
  for (const [name, text] of [
    ["clientId", clientId],
    ["clientSecret", secret],
  ] as const) {
    if (typeof text !== "string" || text === "")
      throw invalidOption(call, `${name} is empty: is its variable set?`);
    if (text.trim() !== text) throw invalidOption(call, `${name} begins or ends with white space: trim it`);
  }
  if (authentication === "client_secret_post")
    return { headers: {}, members: { client_id: clientId, client_secret: secret } };
  if (authentication !== "client_secret_basic")
    throw invalidOption(call, 'authentication must be "client_secret_basic" or "client_secret_post"');
  // Each is form-encoded before they are joined, so that a colon in the id is no separator.
  const joined = Buffer.from(`${formEncoded(clientId)}:${formEncoded(secret)}`).toString("base64");
  return { headers: { authorization: `Basic ${joined}` }, members: {} };
}

const formEncoded = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1);

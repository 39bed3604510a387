// Creates an app for TLS 1.2 and 1.3. The engine refuses older versions and renegotiation.

import { FrameworkError } from "#core/errors.js";
import type { Credentials } from "../tls/credentials.js";
import type { PairPlan } from "../tls/tls-options.js";
import type { NativeApp, NativeServer, NativeTls } from "./port.js";

// Ciphers with forward secrecy and authenticated encryption (RFC 7525, section 4.2). The engine's
// default includes CBC and RSA key exchange.
const CIPHERS = [
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

/**
 * Calls `attach` for the first certificate and for each further name, because the engine keeps
 * routes per name. Throws TLS_INVALID if the engine refuses files that passed the checks.
 */
export function tlsApp(
  server: Pick<NativeServer, "SSLApp">,
  { pairs }: Pick<Credentials, "pairs">,
  attach: (app: NativeApp) => void,
): NativeApp {
  const [first, ...named] = pairs;
  // The engine ignores a name whose files it cannot use. A separate app for each pair detects that.
  for (const pair of named) made(server, pair).close();
  const app = made(server, first);
  attach(app);
  for (const { name, ...pair } of named) {
    if (name === undefined) continue;
    app.addServerName(name, optionsOf(pair));
    attach(app.domain(name));
  }
  return app;
}

function made(server: Pick<NativeServer, "SSLApp">, pair: PairPlan): ReturnType<NativeServer["SSLApp"]> {
  try {
    return server.SSLApp(optionsOf(pair));
  } catch (cause) {
    throw new FrameworkError(
      "TLS_INVALID",
      `${pair.cert}: the native server cannot use it with ${pair.key}, though both are well; give a key of RSA, or EC with P-256, in PKCS #8 without a passphrase`,
      { cause },
    );
  }
}

const optionsOf = ({ cert, key, passphrase }: Omit<PairPlan, "name">): NativeTls => ({
  cert_file_name: cert,
  key_file_name: key,
  ssl_ciphers: CIPHERS,
  ...(passphrase !== undefined && { passphrase: passphrase.reveal() }),
});

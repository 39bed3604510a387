// Builds and runs the target of wire tests and load tools: `npm run conformance`.

import { spawn, spawnSync } from "node:child_process";

import { commandLine } from "./command-line.mjs";

commandLine(`npm run conformance

Builds the package and examples/conformance, and serves it in production mode on
127.0.0.1, port CONFORMANCE_PORT (default 9201), until it is stopped.

CONFORMANCE_TLS_PORT  serves the same by https too, on this port: with the certificate of
                      CONFORMANCE_TLS_CERT and CONFORMANCE_TLS_KEY (paths of PEM files), or
                      one of npm run dev-cert, whose authority is .certs/authority.crt

TRUSTED_PROXIES  addresses and ranges, with commas between them (default: none)
BODY_LIMIT       bytes (default 1048576)

GET /me and GET /admin take tokens of the issuer https://issuer.example for the
audience conformance, with the key id k1 or none:

JWT_ALG          HS256, RS256, PS256, ES256, EdDSA or another algorithm of JwtVerifier
JWT_SECRET       for HS: the secret, as text
JWT_PUBLIC_KEY   for the others: the path of a PEM file with the public key

Without them these two routes refuse every request: 401 without a token, 503 with one.`);

const { CONFORMANCE_TLS_PORT, CONFORMANCE_TLS_CERT } = process.env;
const needsCertificate = CONFORMANCE_TLS_PORT !== undefined && CONFORMANCE_TLS_CERT === undefined;

for (const command of [
  "node scripts/build.mjs",
  "npx --no-install tsc -p examples/conformance/tsconfig.json",
  ...(needsCertificate ? ["npm run --silent dev-cert"] : []),
]) {
  const { status } = spawnSync(command, { shell: true, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

const server = spawn(process.execPath, [".build/conformance/main.js"], {
  stdio: "inherit",
  env: { ...process.env, FRAMEWORK_PROFILE: "prod" },
});
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => server.kill(signal));
server.on("exit", (code) => process.exit(code ?? 1));

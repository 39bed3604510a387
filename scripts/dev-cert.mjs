// Makes a certificate for this machine's own names, and the authority that signs it:
// `npm run dev-cert`. For development alone.

import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join, resolve } from "node:path";

import { chainOf, issue } from "../native-tests/support/issued-certificate.js";
import { commandLine } from "./command-line.mjs";

const HELP = `npm run dev-cert -- [NAME...] [--out FOLDER] [--new-authority]

Makes FOLDER/server.crt and server.key, a certificate for localhost, 127.0.0.1 and ::1, and
for each NAME: a host name, *.NAME or an address. An authority of this folder signs it,
authority.crt and authority.key, which is made the first time and then used again, so that
it has to be trusted once. Needs no openssl.

--out FOLDER      default .certs, which git ignores
--new-authority   creates a new authority, which browsers have to trust again

Exit codes: 0 made, 1 the folder cannot be written or read, 2 wrong arguments.`;

const DAY_MS = 86_400_000;
/** Apple's systems refuse longer lifetimes: 825 days (HT210176). */
const SERVER_DAYS = 800;
const AUTHORITY_DAYS = 3650;

// Digits and dots alone: an address, if valid.
const NAME = /^(?![0-9.]+$)(?:\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

const OPTIONS = {
  out: { type: "string", default: ".certs" },
  "new-authority": { type: "boolean", default: false },
};

const { values, words } = commandLine(HELP, { options: OPTIONS, words: true }, (given) => {
  const wrong = given.words.filter((name) => isIP(name) === 0 && !NAME.test(name));
  if (wrong.length > 0) throw new Error(`No host name and no address, in lower case: ${wrong.join(", ")}`);
  return given;
});
const folder = resolve(values.out);
const at = (name) => join(folder, name);

function authority() {
  const [cert, key] = [at("authority.crt"), at("authority.key")];
  if (!values["new-authority"] && existsSync(cert) && existsSync(key)) {
    const made = readAuthority(readFileSync(cert, "utf8"), readFileSync(key, "utf8"));
    // An authority that expires before the certificate makes it invalid.
    if (made.endsAt > Date.now() + SERVER_DAYS * DAY_MS) return made;
  }
  const made = issue({
    subject: `Development authority of ${folder}`.slice(0, 64),
    until: Date.now() + AUTHORITY_DAYS * DAY_MS,
  });
  write("authority.crt", made.cert, 0o644);
  write("authority.key", made.key, 0o600);
  return made;
}

/** An authority that browsers may trust already: a damaged one is replaced only on request. */
function readAuthority(cert, key) {
  try {
    const certificate = new X509Certificate(cert);
    const privateKey = createPrivateKey(key);
    if (!certificate.checkPrivateKey(privateKey)) throw new Error("the key is another one's");
    const subject = certificate.subject.replace("CN=", "");
    return { subject, cert, key, privateKey, endsAt: Date.parse(certificate.validTo) };
  } catch (cause) {
    const problem = `authority.crt and authority.key are no pair (${cause.message})`;
    throw new Error(`${problem}; --new-authority makes both anew`, { cause });
  }
}

/** Written to a new file: a process that has the old key open cannot read the new one. */
function write(name, text, mode) {
  writeFileSync(at(`${name}.new`), text, { mode });
  renameSync(at(`${name}.new`), at(name));
}

try {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const signer = authority();
  const names = [...new Set(["localhost", "127.0.0.1", "::1", ...words])];
  const until = Date.now() + SERVER_DAYS * DAY_MS;
  const server = issue({ subject: "localhost", names, issuer: signer, until });
  write("server.key", server.key, 0o600);
  write("server.crt", chainOf(server, signer), 0o644);
  console.log(`${at("server.crt")} and server.key are for ${names.join(", ")}, for ${SERVER_DAYS} days.

In the program:       .tls("${join(values.out, "server.crt")}", "${join(values.out, "server.key")}")
Once, to trust it:    ${at("authority.crt")}
  curl                --cacert ${join(values.out, "authority.crt")}
  Node.js             NODE_EXTRA_CA_CERTS=${join(values.out, "authority.crt")}
  Debian, Ubuntu      sudo cp ${join(values.out, "authority.crt")} /usr/local/share/ca-certificates/dev.crt && sudo update-ca-certificates
  Fedora              sudo trust anchor ${join(values.out, "authority.crt")}
  macOS               sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain ${join(values.out, "authority.crt")}
  Windows             certutil -addstore -user Root ${join(values.out, "authority.crt")}
  Firefox             Settings, Certificates, Authorities, Import

With authority.key one can impersonate any site to clients that trust it: keep it on this machine.`);
} catch (error) {
  console.error(`${folder}: ${error.message}`);
  process.exit(1);
}

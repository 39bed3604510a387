import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type CertificateRequest, chainOf, type Issued, issue } from "./issued-certificate.js";

const folders: string[] = [];
process.on("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder for the files of one test; gone with the process. */
export function certificateFolder() {
  const folder = mkdtempSync(join(tmpdir(), "framework-tls-"));
  folders.push(folder);
  const path = (name: string): string => join(folder, name);
  /** Writes it beside, and puts it in its place at once. */
  const put = (name: string, text: string, mode = 0o600): string => {
    writeFileSync(path(`${name}.new`), text, { mode });
    renameSync(path(`${name}.new`), path(name));
    return path(name);
  };
  return {
    path,
    put,
    /** Points a name at another file, as certbot does. */
    link: (name: string, target: string): string => {
      symlinkSync(target, path(`${name}.new`));
      renameSync(path(`${name}.new`), path(name));
      return path(name);
    },
    /** The two files of a certificate. */
    pair: (issued: Issued, name = "server", ...behind: readonly Issued[]) => ({
      cert: put(`${name}.crt`, chainOf(issued, ...behind)),
      key: put(`${name}.key`, issued.key),
    }),
  };
}

/** An authority, and a certificate of it for localhost and its addresses. */
export function localCertificate(request: Partial<CertificateRequest> = {}): {
  readonly authority: Issued;
  readonly own: Issued;
} {
  const authority = issue({ subject: "Test Authority" });
  const names = ["localhost", "127.0.0.1", "::1"];
  return { authority, own: issue({ subject: "localhost", names, issuer: authority, ...request }) };
}

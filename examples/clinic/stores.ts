// Where the clinic keeps its data, and how those of one patient leave it. The keys of patients lie in a
// database of their own: keep it out of long backups.

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { openStores } from "framework";
import { sealedAudit } from "framework/audit";
import { EncryptionHook, type ErasureSink, eraseSubject, keysInFile } from "framework/compliance";
import { openSubjectKeys } from "framework/store";

/** `folder` has a file `master-keys` that its owner alone can read: an id, a space, and the output of `openssl rand -base64 32`. */
export function openClinic(folder: string) {
  const codec = new EncryptionHook({ keys: keysInFile(join(folder, "master-keys")) });
  const stores = openStores(`sqlite:${folder}/clinic.db`, { codec });
  const keys = openSubjectKeys(`sqlite:${folder}/patient-keys.db`, { codec });
  return { stores, keys, log: sealedAudit(stores.audit, { keys, target: true }) };
}

/** What the application keeps itself: letters to patients, one file each. */
const patientLetters = (folder: string): ErasureSink => ({
  name: "patient letters",
  erase: ({ subject }) => {
    const files = readdirSync(folder).filter((file) => file.startsWith(`${subject}-`));
    for (const file of files) rmSync(join(folder, file));
    return { erased: files.length };
  },
});

/** What `framework compliance erase` does. */
export const erasePatient = async (
  { stores, keys, log }: ReturnType<typeof openClinic>,
  folder: string,
  id: string,
  reason: string,
) =>
  eraseSubject(
    { subject: id, reason },
    { stores, sinks: [patientLetters(folder), keys.erasure], audit: log, by: "data protection officer" },
  );

// Admissions of patients. Runs are kept encrypted, each is about its patient, and the audit log seals
// the patient's id under a key of that patient.

import { Axon, Framework, Sensitive, Stores, Type } from "framework";
import { AuditLog, type AuditSink } from "framework/audit";

const Patient = Type.Object(
  {
    id: Type.String({ pattern: "^P[0-9]+$" }),
    name: Sensitive(Type.String({ minLength: 1, maxLength: 80 }), { category: "name" }),
    findings: Type.Array(
      Sensitive(Type.String({ maxLength: 500 }), { level: "restricted", category: "health" }),
      { maxItems: 20 },
    ),
  },
  { $id: "AdmittedPatient" },
);

const recorded = new AuditLog({
  action: "patient.admit",
  actor: (_: typeof Patient.static) => "reception",
  target: ({ id }) => id,
});

const admit = Axon.start("admit", Patient)
  .withPersistenceStore(Stores.mounted)
  .withSubject(({ id }) => id)
  .then(recorded)
  .thenFn("ward", ({ findings }) => ({ ward: findings.length > 3 ? "B" : "A" }))
  .withOutputSchema(Type.Object({ ward: Type.String() }));

export const clinic = (stores: Stores, log: AuditSink) =>
  Framework.http().stores(stores).audit(log).post("/patients", admit, { summary: "Admits a patient" });

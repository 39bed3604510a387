import { Axon, Framework, Log, Sensitive, Type } from "framework";

// What is marked is checked, typed and answered like anything else. It is not shown.
const Patient = Type.Object(
  {
    name: Sensitive(Type.String({ minLength: 1, maxLength: 80 }), { category: "name" }),
    born: Sensitive(Type.String({ format: "date" }), { category: "date_of_birth" }),
    findings: Type.Array(
      Sensitive(Type.String({ maxLength: 500 }), { level: "restricted", category: "health" }),
      { maxItems: 20 },
    ),
  },
  { $id: "Patient" },
);

const Admitted = Type.Object({ ward: Type.String() });

const admit = Axon.start("admit", Patient)
  .thenFn("admit", { uses: { log: Log } }, (patient, bus) => {
    bus.log.info({ patient }, "admitted");
    return { ward: patient.findings.length > 3 ? "B" : "A" };
  })
  .withOutputSchema(Admitted);

export const clinic = () => Framework.http().post("/patients", admit, { summary: "Admits a patient" });

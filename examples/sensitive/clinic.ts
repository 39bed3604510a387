import { Axon, Framework, Log, Sensitive, Type } from "framework";

// What is marked is checked, typed and answered like anything else. It is not shown.
const Patient = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 80 }),
    born: Sensitive(Type.String({ format: "date" })),
    findings: Type.Array(Sensitive(Type.String({ maxLength: 500 })), { maxItems: 20 }),
  },
  { $id: "Patient" },
);

const admit = Axon.start("admit", Patient).thenFn("admit", { uses: { log: Log } }, (patient, bus) => {
  bus.log.info({ patient }, "admitted");
  return { ward: patient.findings.length > 3 ? "B" : "A" };
});

export const clinic = () => Framework.http().post("/patients", admit);

import { aligned } from "#config/aligned.js";
import type { Status } from "#inspector/api/status.js";
import { type PackageFacts, packageFacts } from "#inspector/server/package-facts.js";
import { runningInspector } from "../application/running-inspector.js";
import { CommandError, type Given, type Surroundings } from "../terminal/command.js";

type Served = Status;

/** Status of the package, or of a server by its Inspector. */
export async function status(given: Given, { out }: Surroundings): Promise<number> {
  const [url] = given.operands;
  const isData = given.flag("json");
  if (url === undefined) {
    const facts = packageFacts();
    out(isData ? `${JSON.stringify(facts, null, 2)}\n` : `${aligned(packageRows(facts)).join("\n")}\n`);
    return 0;
  }
  const served = await statusOfServer(url);
  out(isData ? `${JSON.stringify(served, null, 2)}\n` : serverText(served));
  return 0;
}

async function statusOfServer(url: string): Promise<Served> {
  const { shown, ask } = runningInspector(url);
  const { status: code, body } = await ask("/status");
  if (code !== 200 || body?.["kind"] !== "inspector.status.v1")
    throw new CommandError(
      `${shown}/status responded with ${code} and no status: give the address of the Inspector, which is a port of its own`,
    );
  return body["data"] as Served;
}

const packageRows = ({ framework, node, native_server: native, crates, artefacts }: PackageFacts) => [
  ["framework", framework],
  ["node", node],
  ["native server", `${native.source}${native.is_tested ? "" : ", not one that was tested"}`],
  ["sha256", native.sha256 ?? "unknown"],
  ...artefacts.map(({ name, version }) => [name, version]),
  ...crates.map(({ name, status, version }) => [name, `${version} ${status}`]),
];

function serverText(served: Served): string {
  const { service, profile, production, started_at, processes, addresses, capabilities, stores } = served;
  const rows = [
    ["service", service],
    ["profile", `${profile}${production ? ", production" : ""}`],
    ["started", new Date(started_at).toISOString()],
    ["addresses", addresses.join(", ")],
    ["processes", processes.map(({ pid, role }) => `${pid} ${role}`).join(", ")],
    ...packageRows(served),
  ];
  const parts = capabilities.map(({ name, status, note }) => [name, status, note ?? ""]);
  const kept = stores.map(({ name, count, limit, dropped }) => [
    name,
    `${count} of ${limit}`,
    `${dropped} dropped`,
  ]);
  return [
    ...aligned(rows),
    "",
    ...aligned([["CAPABILITY", "", ""], ...parts]),
    "",
    ...aligned([["KEPT BY THE INSPECTOR", "", ""], ...kept]),
    "",
  ].join("\n");
}

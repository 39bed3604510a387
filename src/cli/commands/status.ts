import { aligned } from "#config/aligned.js";
import { shownUrl } from "#core/wire/shown-url.js";
import { visible } from "#core/wire/visible-text.js";
import type { Status } from "#inspector/api/status.js";
import { OPERATOR_VARIABLE, VIEWER_VARIABLE } from "#inspector/door/bearer-auth.js";
import { type PackageFacts, packageFacts } from "#inspector/server/package-facts.js";
import { CommandError, type Given, type Surroundings, UsageError } from "../terminal/command.js";

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
  const shown = visible(shownUrl(url));
  if (!/^https?:\/\//.test(url) || !URL.canParse("/status", url))
    throw new UsageError(`'${shown}' is no URL of an Inspector: http://127.0.0.1:3001, say`);
  const { username, password } = new URL(url);
  if (username !== "" || password !== "")
    throw new UsageError(
      `'${shown}' has a user or a password, which an Inspector does not take: set ${OPERATOR_VARIABLE} or ${VIEWER_VARIABLE}`,
    );
  const token = process.env[OPERATOR_VARIABLE] ?? process.env[VIEWER_VARIABLE];
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await asked(new URL("/status", url), headers);
  if (response.status === 401)
    throw new CommandError(
      `${shown} asks for a token: set ${OPERATOR_VARIABLE} or ${VIEWER_VARIABLE}${token === undefined ? "" : ", which it refused"}`,
    );
  const body: unknown = await response.json().catch(() => undefined);
  const { kind, data } = (body ?? {}) as { readonly kind?: unknown; readonly data?: unknown };
  if (response.status !== 200 || kind !== "inspector.status.v1")
    throw new CommandError(
      `${shown}/status responded with ${response.status} and no status: give the address of the Inspector, which is a port of its own`,
    );
  return data as Served;
}

async function asked(url: URL, headers: Readonly<Record<string, string>>): Promise<Response> {
  try {
    return await fetch(url, { headers, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    const { cause = error } = error as Error;
    throw new CommandError(`no Inspector responds at ${url.origin}`, { cause });
  }
}

const TIMEOUT_MS = 5000;

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

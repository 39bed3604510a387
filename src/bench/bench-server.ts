// The server of a route that is measured, and beside it one that is always the same: its cost is
// what that of the route is compared with.

import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

import { FrameworkError } from "#core/errors.js";
import type { IngressPlan } from "#http/plan/ingress-plan.js";
import { calibrate } from "./calibration.js";

/** What a file with routes exports. An ingress of this copy of the package or another. */
export interface BenchedApplication {
  readonly ingress: BenchedIngress;
  /** The values of its resources by name, as `run` takes them; or a function that makes them. */
  readonly resources?: unknown;
}

export interface BenchedIngress {
  readonly plan: IngressPlan;
  bind(address: string): BenchedIngress;
  workers(count: number): BenchedIngress;
  run(resources: unknown): Promise<{ readonly address: string }>;
}

export interface BenchPorts {
  readonly port: number;
  readonly calibration: number;
}

/** Throws RESOURCE_MISSING and CONFIG_INVALID, and what `run` rejects with. */
export async function serve({ ingress, resources }: BenchedApplication): Promise<BenchPorts> {
  const { plan } = ingress;
  if (plan.tls !== undefined)
    throw new FrameworkError(
      "CONFIG_INVALID",
      "Routes are measured over HTTP: export an ingress without tls()",
    );
  if (resources === undefined && plan.resources.length > 0) {
    const names = plan.resources.map(({ name }) => name).join(", ");
    throw new FrameworkError(
      "RESOURCE_MISSING",
      `The ingress declares resources, and the file exports none: export a function resources() that returns { ${names} }`,
    );
  }
  const values: unknown = typeof resources === "function" ? await resources() : resources;
  const { address } = await ingress
    .workers(1)
    .bind("127.0.0.1:0")
    .run(values ?? {});
  return { port: Number(/:(\d+)$/.exec(address)?.[1]), calibration: await serveCalibration() };
}

/** A part beside what the socket costs, as routes have it. */
const CALIBRATED_RUNS = 100;
const RESPONSE = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

async function serveCalibration(): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on("error", () => {});
    socket.on("data", () => {
      calibrate(CALIBRATED_RUNS);
      socket.write(RESPONSE);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

import type { Effective, Given } from "./given.js";
import { type ConfigMistake, inFile, inVariable } from "./mistake.js";
import type { Origin } from "./origin.js";

/** Combinations of values that are valid alone and invalid together. Invalid values are not compared. */
export function contradictions(
  effective: (path: string) => Effective,
  given: Given,
): readonly ConfigMistake[] {
  const value = (path: string): unknown => (given.isWrong(path) ? undefined : effective(path).value);
  const found: ConfigMistake[] = [];
  const refuse = (path: string, problem: string, remedy: string): void => {
    found.push(mistakeAt(effective(path).origin, path, problem, remedy));
  };

  if (value("tls.enabled") === true) {
    for (const path of ["tls.cert_path", "tls.key_path"]) {
      if (value(path) === "") refuse(path, "is empty", "tls.enabled needs it");
    }
    if (value("server.proxy_protocol") === "v2")
      refuse("server.proxy_protocol", 'is "v2"', 'it must be "off" where tls.enabled is true');
    if (String(value("server.host")).startsWith("unix:"))
      refuse("server.host", "is a socket of the file system", "tls.enabled needs an address");
  }
  const trusted = value("server.trusted_proxies") as readonly string[] | undefined;
  const isSocket = String(value("server.host")).startsWith("unix:");
  if (value("server.proxy_protocol") === "v2" && trusted?.length === 0 && !isSocket)
    refuse("server.proxy_protocol", 'is "v2"', "it needs server.trusted_proxies, which send the header");
  const port = value("server.port");
  const apart = port === 0 || value("server.host") !== value("inspector.host");
  if (value("inspector.enabled") === true && port !== undefined && port === value("inspector.port") && !apart)
    refuse("inspector.port", `is ${port}`, "it must be another port than server.port");
  const delay = "server.shutdown_delay_secs";
  const isLate =
    Number(value(delay)) > 0 && Number(value(delay)) >= Number(value("server.shutdown_timeout_secs"));
  if (isLate && effective(delay).origin.kind !== "default")
    refuse(
      delay,
      `is ${value(delay)}`,
      "it must be less than server.shutdown_timeout_secs, which has it in it",
    );
  const [queue, batch] = [value("telemetry.max_queue_size"), value("telemetry.max_export_batch_size")];
  if (Number(batch) > Number(queue))
    refuse(
      "telemetry.max_export_batch_size",
      `is ${batch}`,
      `it must not be more than telemetry.max_queue_size, which is ${queue}`,
    );
  const viewer = value("inspector.viewer_token");
  if (viewer !== undefined && viewer === value("inspector.bearer_token"))
    refuse("inspector.viewer_token", "is the operator's", "it must not be inspector.bearer_token");
  return found;
}

function mistakeAt(origin: Origin, path: string, problem: string, remedy: string): ConfigMistake {
  switch (origin.kind) {
    case "default":
      return inVariable(path, problem, remedy);
    case "variable":
      return inVariable(origin.variable, problem, remedy);
    case "file":
      return inFile(origin.file, origin, path, problem, remedy);
    case "profile":
      return inFile(origin.file, origin, `profile.${origin.profile}.${path}`, problem, remedy);
  }
}

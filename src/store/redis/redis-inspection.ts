// What a Redis must be: new enough, a master that has loaded its data, and one that keeps what is in it.

import type { RedisClient } from "./redis-client.js";

/** What a call is for: the name under which its failures are counted. */
export type RedisUse = "rates" | "sessions" | "keys" | "locks" | "rooms" | "channels";

/** What must not be lost: two holders of a lock, two runs of one key. */
const MUST_STAY: readonly RedisUse[] = ["locks", "keys"];

/** Resolves to warnings. Rejects where these servers are not fit for what is kept. */
export async function inspected(client: RedisClient, keeps: readonly RedisUse[]): Promise<readonly string[]> {
  const servers = "nodes" in client ? client.nodes("master") : [client];
  const found = await Promise.all(servers.map(async (server) => warningsOf(await infoOf(server), keeps)));
  return [...new Set(found.flat())];
}

/** Undefined where the user may not read it. */
async function infoOf(server: { info(): Promise<string> }): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    const pairs = [...(await server.info()).matchAll(/^(\w+):(.*?)\r?$/gm)];
    return new Map(pairs.map(([, name, value]) => [String(name), String(value)]));
  } catch (error) {
    if (/\bNOPERM\b/.test((error as Error).message)) return undefined;
    throw error;
  }
}

function warningsOf(
  info: ReadonlyMap<string, string> | undefined,
  keeps: readonly RedisUse[],
): readonly string[] {
  if (info === undefined)
    return [
      "its user may not call INFO: neither its version (6.2 is the least) nor its eviction policy (noeviction) is known",
    ];
  const version = info.get("redis_version") ?? "";
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (version !== "" && (major < 6 || (major === 6 && minor < 2)))
    throw new Error(`it is Redis ${version}: use 6.2 or newer, or Valkey`);
  if (info.get("loading") === "1") throw new Error("LOADING: it still reads its data");
  if (info.get("role") === "slave") throw new Error("READONLY: it is a replica, name its master");
  const policy = info.get("maxmemory_policy");
  if (policy === "noeviction") return [];
  if (policy === undefined) return ["its eviction policy cannot be read: it must be noeviction"];
  const lost = keeps.filter((use) => MUST_STAY.includes(use));
  const remedy = "set maxmemory-policy to noeviction";
  if (lost.length > 0)
    throw new Error(
      `its maxmemory-policy ${policy} evicts ${lost.join(" and ")}: ${remedy}, or keep them in SQL`,
    );
  return [`its maxmemory-policy ${policy} evicts ${keeps.join(", ")} where memory is short: ${remedy}`];
}

// Sends one request to the server. Resolves to its data or throws a Problem.

import { Problem } from "./problem.js";
import { refuseToken, token } from "./session.js";

type Method = "GET" | "POST" | "PATCH" | "DELETE";

export async function ask<T>(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const used = token.get();
  const headers: Record<string, string> = { accept: "application/json" };
  if (used !== undefined) headers["authorization"] = `Bearer ${used}`;
  if (body !== undefined) headers["content-type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      credentials: "omit",
      cache: "no-store",
      signal: signal ?? null,
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new Problem(0, { title: "No response from the server", detail: `${method} ${path}` });
  }
  const answer = await response.json().catch(() => undefined);
  // A newer token may have been set meanwhile.
  if (response.status === 401 && used !== undefined && used === token.get()) refuseToken();
  if (!response.ok) throw new Problem(response.status, isObject(answer) ? answer : {}, `${method} ${path}`);
  if (response.status === 204) return undefined as T;
  if (!isObject(answer) || !("data" in answer))
    throw new Problem(response.status, { title: "Not a response of the Inspector's API", detail: path });
  return answer["data"] as T;
}

/** "?a=1&b=2"; undefined and empty values are left out. */
export function query(params: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(params).flatMap(([key, value]) =>
    value === undefined || value === "" ? [] : [[key, String(value)] as [string, string]],
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

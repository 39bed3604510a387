// Requests of commands to the Inspector of a running server.

import { shownUrl } from "#core/wire/shown-url.js";
import { visible } from "#core/wire/visible-text.js";
import { OPERATOR_VARIABLE, VIEWER_VARIABLE } from "#inspector/door/bearer-auth.js";
import { CommandError, UsageError } from "../terminal/command.js";

export interface RunningInspector {
  readonly shown: string;
  /** Throws a CommandError where no Inspector responds, or it refuses the token. */
  readonly ask: (
    path: string,
    asked?: { readonly method?: string; readonly body?: unknown },
  ) => Promise<Reply>;
}

export interface Reply {
  readonly status: number;
  /** Undefined where it is no JSON object. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** The token is that of the environment: other users of the machine see the command line. */
export function runningInspector(url: string, timeoutMs = 5000): RunningInspector {
  const shown = visible(shownUrl(url));
  if (!/^https?:\/\//.test(url) || !URL.canParse("/status", url))
    throw new UsageError(`'${shown}' is no URL of an Inspector: http://127.0.0.1:3001, say`);
  const { username, password } = new URL(url);
  if (username !== "" || password !== "")
    throw new UsageError(
      `'${shown}' has a user or a password, which an Inspector does not take: set ${OPERATOR_VARIABLE} or ${VIEWER_VARIABLE}`,
    );
  const token = process.env[OPERATOR_VARIABLE] ?? process.env[VIEWER_VARIABLE];
  return {
    shown,
    ask: async (path, { method = "GET", body } = {}) => {
      const response = await responseOf(new URL(path, url), {
        ...{ method, redirect: "manual", signal: AbortSignal.timeout(timeoutMs) },
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (response.status === 401)
        throw new CommandError(
          `${shown} asks for a token: set ${OPERATOR_VARIABLE} or ${VIEWER_VARIABLE}${token === undefined ? "" : ", which it refused"}`,
        );
      const read: unknown = await response.json().catch(() => undefined);
      const isObject = typeof read === "object" && read !== null;
      return { status: response.status, body: isObject ? (read as Reply["body"]) : undefined };
    },
  };
}

async function responseOf(url: URL, asked: RequestInit): Promise<Response> {
  try {
    return await fetch(url, asked);
  } catch (error) {
    const { cause = error } = error as Error;
    throw new CommandError(`no Inspector responds at ${url.origin}`, { cause });
  }
}

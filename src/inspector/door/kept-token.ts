// The token of an Inspector in development: kept in a file, so that an open page stays signed in
// when the server is started again.

import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { isToken } from "./bearer-auth.js";

const FILE = "inspector-token";
const TOKEN_BYTES = 24;

export const newToken = (): string => randomBytes(TOKEN_BYTES).toString("base64url");

/** The token of the file in `folder`, else a new one, written there for its owner only. */
export function keptToken(folder: string): string {
  const file = join(folder, FILE);
  const known = tokenIn(file);
  if (known !== undefined) return known;
  const token = newToken();
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const ignore = join(folder, ".gitignore");
    if (!existsSync(ignore)) writeFileSync(ignore, "*\n");
    rmSync(file, { force: true });
    writeFileSync(file, `${token}\n`, { flag: "wx", mode: 0o600 });
  } catch {
    // Where nothing can be written, the token lasts as long as the process.
  }
  return token;
}

/** Undefined for a token that other accounts could read. */
function tokenIn(file: string): string | undefined {
  try {
    if ((statSync(file).mode & 0o077) !== 0) return undefined;
    const text = readFileSync(file, "utf8").trim();
    return isToken(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

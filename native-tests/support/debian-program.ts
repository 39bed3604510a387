import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Where a program of a Debian package is, if it is installed. Daemons live in folders that not every PATH has. */
export function findProgram(name: string): string | undefined {
  const folders = `${process.env["PATH"]}${delimiter}/usr/sbin${delimiter}/sbin`.split(delimiter);
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** For a test's `skip`: false where the program is there, else what is missing. */
export const skipWithout = (name: string): string | false =>
  findProgram(name) === undefined ? `${name} is not installed` : false;

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

// Whether the pages of a package link to what is in it: who reads them there has no repository.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** Each link of a Markdown file below `folder` to a file that is not there: "docs/a.md: ../b.md". */
export function brokenLinks(folder) {
  const pages = readdirSync(folder, { recursive: true }).filter(
    (name) => name.endsWith(".md") && !name.startsWith("node_modules"),
  );
  return pages.flatMap((page) =>
    linksOf(readFileSync(join(folder, page), "utf8"))
      .filter((link) => !isInside(folder, join(folder, dirname(page), link)))
      .map((link) => `${page}: ${link}`),
  );
}

const linksOf = (text) =>
  [...text.matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, link]) => link.replace(/#.*$/, ""))
    .filter((link) => link !== "" && !/^[a-z]+:/.test(link));

const isInside = (folder, file) => !relative(folder, file).startsWith("..") && existsSync(file);

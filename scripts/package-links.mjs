// Checks that the pages of the package link only to files of the package: its readers have no repository.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** Each broken link of the Markdown files below `folder`: "docs/a.md: ../b.md". */
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

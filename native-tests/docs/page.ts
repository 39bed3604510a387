// The pages of the repository: README, CHANGELOG and all below docs/. A new page is found without an edit.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** A fenced block. */
interface Block {
  readonly language: string;
  readonly text: string;
  /** The last line before it that is not empty. */
  readonly above: string;
}

/** A link that does not leave the repository. */
interface Link {
  /** From the root of the repository. */
  readonly file: string;
  readonly anchor: string | undefined;
}

export interface Page {
  /** From the root of the repository: "docs/axon.md". */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly links: readonly Link[];
}

const read = (path: string): Page => {
  const text = readFileSync(path, "utf8");
  const blocks = [...text.matchAll(/^(.*)\n+```(\w*)\n([\s\S]*?)^```$/gm)].map(
    ([, above = "", language = "", content = ""]) => ({ above, language, text: content }),
  );
  const links = [...text.matchAll(/\]\((?!https?:)([^()\s]+)\)/g)].map(([, link = ""]) => {
    const [file = "", anchor] = link.split("#");
    return { file: file === "" ? path : normalize(join(dirname(path), file)), anchor };
  });
  return { path, text, blocks, links };
};

// docs/api is written by a program, and has no prose.
export const pages: readonly Page[] = [
  "README.md",
  "CHANGELOG.md",
  ...readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && dirname(name) !== "api")
    .map((name) => join("docs", name))
    .sort(),
].map(read);

export function pageAt(path: string): Page {
  const page = pages.find((each) => each.path === path);
  if (page === undefined) throw new Error(`There is no page ${path}`);
  return page;
}

/** The texts of the blocks in a language. */
export const textsIn = ({ blocks }: Page, language: string): readonly string[] =>
  blocks.filter((block) => block.language === language).map(({ text }) => text);

/** The anchor of a heading, as GitHub makes it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w -]/g, "")
    .replaceAll(" ", "-");

export const anchorsOf = (text: string): readonly string[] =>
  [...text.matchAll(/^##+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));

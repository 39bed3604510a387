// Results as Markdown, put where the file has a pair of markers for them:
// <!-- NAME --> and <!-- /NAME -->. Suites that did not run keep their tables; what
// has no markers yet goes to the end.

import { existsSync, readFileSync, writeFileSync } from "node:fs";

import { cellsOf, noteOf } from "./table.mjs";

export function writeMarkdown(file, { run, suites }) {
  let text = existsSync(file) ? readFileSync(file, "utf8") : "";
  text = between(text, "machine", machineOf(run));
  for (const result of suites) text = between(text, result.name, sectionOf(result, run));
  writeFileSync(file, text);
}

/** The text with the content between the markers of the name; at its end where it has none. */
export function between(text, name, content) {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const block = `${open}\n${content}\n${close}`;
  const [from, to] = [text.indexOf(open), text.indexOf(close)];
  if (from === -1 || to === -1) return `${text}${text === "" ? "" : "\n"}${block}\n`;
  return text.slice(0, from) + block + text.slice(to + close.length);
}

const machineOf = ({ cores, node, os, peers }) =>
  [
    `${cores} cores, ${os}, Node ${node}. Versions:`,
    Object.entries(peers)
      .map(([name, version]) => `${name} ${version}`)
      .join(", "),
  ].join(" ");

function sectionOf(result, { date, generator }) {
  const { rounds, seconds } = result;
  const [head, ...rows] = cellsOf(result).map((cells) => `| ${cells.join(" | ")} |`);
  const rule = `|---|${"--:|".repeat(cellsOf(result)[0].length - 1)}`;
  return [
    `### ${result.title}`,
    "",
    `\`npm run bench -- ${result.name}\``,
    "",
    `Measures ${result.measures}`,
    "",
    `Does not measure: ${result.leavesOut}`,
    "",
    head,
    rule,
    ...rows,
    "",
    `${noteOf(result)} ${date}, ${rounds} rounds of ${seconds} s${loadedBy(result, generator)}.`,
  ].join("\n");
}

const loadedBy = ({ more }, generator) => (more.includes("cpu") ? `, loaded by ${generator}` : "");

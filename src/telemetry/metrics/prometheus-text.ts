// Prometheus text format, version 0.0.4.

import { BUCKETS } from "./measure/buckets.js";
import type { Family, HistogramValue } from "./measure/family.js";

/** `name="value"`, separated by commas. Names are the program's; values may be any text. */
export const labelsText = (labels: readonly (readonly [name: string, value: string])[]): string =>
  labels.map(([name, value]) => `${name}="${escapeLabel(value)}"`).join(",");

/** Lone surrogates would all be written as the same character. */
const escapeLabel = (value: string): string =>
  value
    .replace(/[\\"\n]/g, (c) => (c === "\n" ? "\\n" : `\\${c}`))
    .replace(/\p{Surrogate}/gu, (half) => `\\\\u${half.charCodeAt(0).toString(16)}`);

const escapeHelp = (text: string): string => text.replace(/[\\\n]/g, (c) => (c === "\n" ? "\\n" : "\\\\"));

/** Families without series are left out. */
export function prometheusText(families: readonly Family[]): string {
  let text = "";
  for (const family of families) {
    const { name, help, type, series } = family;
    if (series.length === 0) continue;
    text += `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
    if (family.type === "histogram")
      for (const [labels, value] of family.series) text += histogramText(name, labels, value);
    else
      for (const [labels, value] of family.series)
        text += `${name}${labels === "" ? "" : `{${labels}}`} ${value}\n`;
  }
  return text;
}

const LE = [...BUCKETS, "+Inf"].map((bound) => `le="${bound}"} `);

function histogramText(name: string, labels: string, { buckets, count, sum }: HistogramValue): string {
  const head = `${name}_bucket{${labels}${labels === "" ? "" : ","}`;
  const braced = labels === "" ? "" : `{${labels}}`;
  let text = "";
  for (let at = 0; at < buckets.length; at += 1) text += `${head}${LE[at]}${buckets[at]}\n`;
  return `${text}${head}${LE[buckets.length]}${count}\n${name}_sum${braced} ${sum}\n${name}_count${braced} ${count}\n`;
}

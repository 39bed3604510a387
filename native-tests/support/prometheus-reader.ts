// Reads Prometheus's text format 0.0.4, strictly: what a scraper would refuse is thrown.

interface ReadSeries {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ReadFamily {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly series: readonly ReadSeries[];
}

const SUFFIXES = ["", "_bucket", "_sum", "_count"];

export function readPrometheus(text: string): readonly ReadFamily[] {
  const families: { name: string; help: string; type: string; series: ReadSeries[] }[] = [];
  const seen = new Set<string>();
  if (text !== "" && !text.endsWith("\n")) throw new Error("the last line does not end");
  for (const line of text.split("\n").slice(0, -1)) {
    const [, help, type] = /^# (?:(HELP)|(TYPE)) /.exec(line) ?? [];
    const last = families.at(-1);
    if (help !== undefined) {
      const [, name = "", about = ""] = /^# HELP (\S+) (.*)$/s.exec(line) ?? [];
      if (families.some((family) => family.name === name)) throw new Error(`twice: ${line}`);
      families.push({ name, help: unescaped(about), type: "", series: [] });
    } else if (type !== undefined) {
      const [, name, kind = ""] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? [];
      if (last === undefined || last.name !== name || last.type !== "") throw new Error(`misplaced: ${line}`);
      last.type = kind;
    } else {
      const series = readSeries(line);
      const known = last?.type === "histogram" ? SUFFIXES.slice(1) : [""];
      if (!known.some((suffix) => `${last?.name}${suffix}` === series.name))
        throw new Error(`astray: ${line}`);
      const key = JSON.stringify([series.name, Object.entries(series.labels).sort()]);
      if (seen.has(key)) throw new Error(`twice: ${line}`);
      seen.add(key);
      last?.series.push(series);
    }
  }
  return families;
}

function readSeries(line: string): ReadSeries {
  const [head, name = ""] = /^([a-zA-Z_:][a-zA-Z0-9_:]*)/.exec(line) ?? [];
  if (head === undefined) throw new Error(`no name: ${line}`);
  let rest = line.slice(name.length);
  const labels: Record<string, string> = {};
  if (rest.startsWith("{")) {
    rest = rest.slice(1);
    while (!rest.startsWith("}")) {
      const [all, label = "", value = ""] = /^([a-z_]+)="((?:[^"\\]|\\[\\"n])*)",?/.exec(rest) ?? [];
      if (all === undefined || label in labels) throw new Error(`bad labels: ${line}`);
      labels[label] = unescaped(value);
      rest = rest.slice(all.length);
    }
    rest = rest.slice(1);
  }
  const [, number = ""] = /^ (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/.exec(rest) ?? [];
  if (number === "") throw new Error(`no value: ${line}`);
  return { name, labels, value: Number(number) };
}

const unescaped = (text: string): string =>
  text.replace(/\\([\\"n])/g, (_, c: string) => (c === "n" ? "\n" : c));

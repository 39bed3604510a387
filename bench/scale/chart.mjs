// Requests a second against machines, as an SVG: each line rises until its store is full.

const WIDTH = 760;
const HEIGHT = 400;
const LEFT = 70;
const RIGHT = 240;
const TOP = 24;
const BOTTOM = 50;

/**
 * `lines`: `{ name, machine, limit }`, both in requests a second: what one machine serves, and what the
 * store does. Both axes are logarithmic; `machines`, a power of two, is the end of one.
 */
export function chart(lines, machines) {
  const rateAt = ({ machine, limit }, n) => Math.min(limit, machine * n);
  const least = 10 ** Math.floor(Math.log10(Math.min(...lines.map((line) => rateAt(line, 1)))));
  const most = Math.max(...lines.map((line) => rateAt(line, machines)));
  const marks = marksOf(least, most);
  const x = (n) => LEFT + ((WIDTH - LEFT - RIGHT) * Math.log2(n)) / Math.log2(machines);
  const share = (rate) => Math.log10(rate / least) / Math.log10(marks.at(-1) / least);
  const y = (rate) => HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share(rate);
  const ends = spread(lines.map((line) => y(rateAt(line, machines))));
  const drawn = lines.flatMap((line, at) => {
    const full = Math.min(machines, Math.max(1, line.limit / line.machine));
    const path = [1, full, machines]
      .map((n) => `${x(n).toFixed(1)},${y(rateAt(line, n)).toFixed(1)}`)
      .join(" ");
    return [
      `<polyline class="l${at}" points="${path}"/>`,
      `<text class="t${at}" x="${WIDTH - RIGHT + 8}" y="${(ends[at] + 4).toFixed(1)}">${escaped(line.name)}</text>`,
    ];
  });
  const counts = Array.from({ length: Math.log2(machines) + 1 }, (_, n) => 2 ** n);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Requests a second against machines">`,
    `<style>${STYLE}</style>`,
    `<rect class="page" width="${WIDTH}" height="${HEIGHT}"/>`,
    ...marks.flatMap((rate) => {
      const at = y(rate);
      return [
        `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at.toFixed(1)}" y2="${at.toFixed(1)}"/>`,
        `<text class="end" x="${LEFT - 8}" y="${(at + 4).toFixed(1)}">${rate / 1000} k</text>`,
      ];
    }),
    ...counts.map((n) => `<text class="mid" x="${x(n).toFixed(1)}" y="${HEIGHT - BOTTOM + 20}">${n}</text>`),
    `<text class="mid" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 8}">machines, of one core each</text>`,
    `<text x="${LEFT - 62}" y="14">requests/s</text>`,
    ...drawn,
    "</svg>",
    "",
  ].join("\n");
}

/** 1, 2 and 5 times powers of ten, up to the first that is no less than `most`. */
function marksOf(least, most) {
  const marks = [];
  for (let power = least; (marks.at(-1) ?? 0) < most; power *= 10)
    for (const times of [1, 2, 5]) if ((marks.at(-1) ?? 0) < most) marks.push(times * power);
  return marks;
}

/** Moves texts apart that would cover one another. */
function spread(places) {
  const order = places.map((_, at) => at).sort((a, b) => places[a] - places[b]);
  const moved = [...places];
  for (const [n, at] of order.entries()) {
    const above = n === 0 ? Number.NEGATIVE_INFINITY : moved[order[n - 1]];
    moved[at] = Math.max(moved[at], above + 16);
  }
  // What was pushed below the axis moves up again.
  let below = HEIGHT - BOTTOM;
  for (const at of order.reverse()) {
    moved[at] = Math.min(moved[at], below);
    below = moved[at] - 16;
  }
  return moved;
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const COLOURS = ["#0b7285", "#c2410c", "#5b21b6", "#15803d", "#be185d", "#57534e"];
const ON_DARK = ["#67e8f9", "#fdba74", "#c4b5fd", "#86efac", "#f9a8d4", "#d6d3d1"];

const coloured = (colours) =>
  colours.map((colour, at) => `.l${at}{stroke:${colour}}.t${at}{fill:${colour}}`).join("");

const STYLE = [
  "text{font:12px system-ui,sans-serif;fill:#292524}.page{fill:#fff}.grid{stroke:#e7e5e4}",
  "polyline{fill:none;stroke-width:2}.end{text-anchor:end}.mid{text-anchor:middle}",
  coloured(COLOURS),
  "@media(prefers-color-scheme:dark){text{fill:#e7e5e4}.page{fill:#1c1917}.grid{stroke:#44403c}",
  `${coloured(ON_DARK)}}`,
].join("");

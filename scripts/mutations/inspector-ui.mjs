// Lines of the Inspector's page. mutate.mjs says what a row is.

const UI = "src/inspector/ui";
const ARRANGE = "native-tests/inspector/ui/arrange.test.ts";
const FORMAT = "native-tests/inspector/ui/format.test.ts";
const PLACE = "native-tests/inspector/ui/place.test.ts";
const ROWS = "native-tests/inspector/ui/rows.test.ts";
const VIEWS = "native-tests/inspector/ui/views.test.ts";
const CONDITION = "native-tests/inspector/ui/condition.test.ts";

export default [
  [
    "page: a table leaves room for the column that takes what is left",
    `${UI}/table/least-width.ts`,
    "pixels / (1 - Math.min(share, 0.9))",
    "pixels",
    ROWS,
  ],
  [
    "page: a list of one is a list in a form",
    `${UI}/views/send/form-text.ts`,
    "[`${name}[]`, textOf(one)]",
    "[name, textOf(one)]",
    VIEWS,
  ],
  [
    "page: a figure of too few samples is none",
    `${UI}/format/figure.ts`,
    "window.samples < NEEDED[which]",
    "window.samples < 0",
    FORMAT,
  ],
  [
    "page: what is not all is not shown as all",
    `${UI}/format/quantity.ts`,
    "if (share > 0.999)",
    "if (share > 2)",
    FORMAT,
  ],
  [
    "page: the token does not stay in the address",
    `${UI}/url/place.ts`,
    'const rest = hash.replace(/([#?&])token=[^&]*&?/, "$1").replace(/[?&]$/, "");',
    "const rest = hash;",
    PLACE,
  ],
  [
    "page: names in the address are encoded",
    `${UI}/url/place.ts`,
    'path.map(encodeURIComponent).join("/")',
    'path.join("/")',
    PLACE,
  ],
  [
    "page: the rows at the end are in sight",
    `${UI}/table/rows.ts`,
    "Math.ceil((top + viewHeight) / rowHeight) + BEYOND",
    "Math.floor(top / rowHeight) + BEYOND",
    ROWS,
  ],
  [
    "page: a lane is free before a line takes it",
    `${UI}/layout/lanes.ts`,
    "isFree &&= !taken[lane]?.has(column);",
    "isFree = true;",
    ARRANGE,
  ],
  [
    "page: a ring is opened before columns are counted",
    `${UI}/layout/ranks.ts`,
    'else if (state.get(link.to) === "open") closing.add(link);',
    'else if (state.get(link.to) === "open") throw new Error("a ring");',
    ARRANGE,
  ],
  [
    "page: a ring of guards has a beginning",
    `${UI}/layout/vertices.ts`,
    "if (at === start) after.delete(start);",
    "if (at === start) continue;",
    ARRANGE,
  ],
  [
    "page: the stream of events is bounded",
    `${UI}/views/live/live-rows.ts`,
    "older.slice(0, MAX_ROWS - newer.length)",
    "older",
    VIEWS,
  ],
  [
    "page: the stream stands still while it is read",
    `${UI}/views/live/live-rows.ts`,
    "if (!isHeldBack) {",
    "if (true) {",
    VIEWS,
  ],
  [
    "page: a bar is within its node's time",
    `${UI}/views/run/bars.ts`,
    "Math.min(Math.max(to, at), end)",
    "Math.max(to, at)",
    VIEWS,
  ],
  [
    "page: paths of a value are bounded",
    `${UI}/condition/paths-of-value.ts`,
    "level.slice(0, MOST - found.length)",
    "level",
    CONDITION,
  ],
];

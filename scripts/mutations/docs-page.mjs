// Lines of the page of docs(). mutate.mjs says what a row is.

const ATTACH = "src/openapi/docs/attach.ts";
const PAGE = "src/openapi/docs/docs-page.ts";
const DOCS = "native-tests/openapi/docs/docs.test.ts";
const BROWSER = "native-tests/heavy/browser/docs-page.test.ts";
const VENDORED = "native-tests/scripts/vendored-package.test.ts";

export default [
  [
    "docs page: its guards and policy stand before its files",
    ATTACH,
    `    ingress.serveDir(assets as "/assets", folder, {
      ...front,`,
    `    ingress.serveDir(assets as "/assets", folder, {`,
    DOCS,
  ],
  ["docs page: its files do not change", ATTACH, "immutable: /./,", "immutable: false,", DOCS],
  [
    "docs page: open in production it is warned of",
    ATTACH,
    "guards === undefined && iam === undefined",
    "guards !== undefined && iam === undefined",
    DOCS,
  ],
  [
    "docs page: scripts of the origin do not run",
    PAGE,
    "script-src 'nonce-${nonce}'",
    "script-src 'self'",
    DOCS,
  ],
  ["docs page: its links are relative to it", PAGE, '? "../" : "./"', '? "./" : "./"', DOCS],
  [
    "docs page: its calls carry no cookies",
    "src/openapi/docs/page/docs.js",
    'request.credentials = "omit"',
    'request.credentials = "same-origin"',
    BROWSER,
  ],
  [
    "docs page: it keeps no token",
    "src/openapi/docs/page/docs.js",
    "persistAuthorization: false",
    "persistAuthorization: true",
    BROWSER,
  ],
  [
    "docs page: it follows the browser's scheme",
    "src/openapi/docs/page/docs.js",
    'dark.addEventListener("change", followScheme);\n',
    "",
    BROWSER,
  ],
  [
    "vendored packages: another tarball is refused",
    "scripts/vendored-package.mjs",
    "if (!hasSum(tarball, vendored))",
    "if (!hasSum(tarball, vendored) && vendored === undefined)",
    VENDORED,
  ],
];

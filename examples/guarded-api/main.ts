import { guardedApi } from "./api.js";
import { gaugePage } from "./page.js";

const port = Number(process.env["PORT"] ?? 3000);
const at = (offset: number) => `127.0.0.1:${port + offset}`;

const gauge = { cm: 212 };
await guardedApi({ pageOrigin: `http://${at(1)}` })
  .bind(at(0))
  .run({ Gauge: gauge });
const page = gaugePage(`http://${at(0)}`);
await page.bind(at(1)).run();
await page.bind(at(2)).run();

console.log(`The API listens on http://${at(0)}. Open

  http://${at(1)}   a page that may use it
  http://${at(2)}   the same page of an origin that may not

or try

  curl -i http://${at(0)}/level
`);

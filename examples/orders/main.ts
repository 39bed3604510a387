// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/examples/orders/main.ts

import { FrameworkConfig } from "framework";

import { closed } from "./deliveries.js";
import { ingress } from "./ingress.js";
import { Inventory, loadCatalogue } from "./shop.js";

const RESTOCKED_EVERY_MS = 5000;
const ROADS_CHANGE_EVERY_MS = 30_000;
const TO_ATLANTIS = "Atlantis";

const catalogue = loadCatalogue();
const stock = new Inventory(catalogue);
setInterval(() => stock.restock(), RESTOCKED_EVERY_MS).unref();
// A dead letter that is re-driven while the road is open succeeds.
setInterval(() => closed.delete(TO_ATLANTIS) || closed.add(TO_ATLANTIS), ROADS_CHANGE_EVERY_MS).unref();
const server = await ingress({ send: ({ name, payload }) => console.log(name, JSON.stringify(payload)) })
  .docs("/docs")
  // Outside production anybody who sees the link that it prints may look at everything.
  .inspector({
    capturePayloads: "full",
    stallThresholdMs: 2000,
  })
  .config(FrameworkConfig.load())
  .run({ Catalogue: catalogue, Stock: stock });

console.log(`The shop is open on http://${server.address}. Try:

  curl http://${server.address}/products/tea
  curl http://${server.address}/orders -H 'content-type: application/json' -d '{"customer":"Ada","loyal":true,"partial":true,"lines":[{"sku":"pot","qty":5}]}'

Its documentation is on http://${server.address}/docs.
\`npm run orders:traffic\` gives the Inspector something to show.
`);

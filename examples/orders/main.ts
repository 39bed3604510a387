import { shop } from "./app.js";
import { deliver, takings } from "./deliveries.js";
import { Inventory, loadCatalogue } from "./shop.js";

const RESTOCKED_EVERY_MS = 20_000;

const catalogue = loadCatalogue();
const stock = new Inventory(catalogue);
setInterval(() => stock.restock(), RESTOCKED_EVERY_MS).unref();
const server = await shop({ send: ({ name, payload }) => console.log(name, JSON.stringify(payload)) })
  .post("/deliveries", deliver)
  .get("/takings", takings)
  // Outside production anybody who sees the link that it prints may look at everything.
  .inspector({ capturePayloads: "full", port: Number(process.env["INSPECTOR_PORT"] ?? 3001) })
  .bind(`127.0.0.1:${process.env["PORT"] ?? 3000}`)
  .run({ Catalogue: catalogue, Stock: stock });

console.log(`The shop is open on http://${server.address}. Try:

  curl http://${server.address}/products/tea
  curl http://${server.address}/orders -H 'content-type: application/json' -d '{"customer":"Ada","loyal":true,"partial":true,"lines":[{"sku":"pot","qty":5}]}'

\`npm run orders:traffic\` gives the Inspector something to show.
`);

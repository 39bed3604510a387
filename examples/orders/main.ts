import { shop } from "./app.js";
import { Inventory, loadCatalogue } from "./shop.js";

const catalogue = loadCatalogue();
const server = await shop({ send: ({ name, payload }) => console.log(name, JSON.stringify(payload)) })
  .bind(`127.0.0.1:${process.env["PORT"] ?? 3000}`)
  .run({ Catalogue: catalogue, Stock: new Inventory(catalogue) });

console.log(`The shop is open on http://${server.address}. Try:

  curl http://${server.address}/products/tea
  curl http://${server.address}/orders -H 'content-type: application/json' -d '{"customer":"Ada","loyal":true,"partial":true,"lines":[{"sku":"pot","qty":5}]}'
`);

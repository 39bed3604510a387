// A shop for spare parts: its catalogue is compressed, and what shows a secret is not.

import { Axon, busKey, Framework, html, respond, Type } from "framework";

export interface Part {
  readonly id: string;
  readonly name: string;
  readonly weight: number;
}

const Parts = busKey<readonly Part[]>()("Parts");

const catalogue = Axon.start("catalogue").thenFn("list", { uses: { parts: Parts } }, (_, bus) => bus.parts);

/** A drawing is a PNG: it is compressed already, and nobody tries again. */
const drawing = Axon.start("drawing").thenFn("draw", () =>
  respond({ headers: { "content-type": "image/png" }, body: new Uint8Array(4096) }),
);

const Search = Type.Object({ q: Type.String({ pattern: "^[a-z0-9 ]{0,40}$" }) });

/** What was searched for stands beside what nobody else may know: BREACH. */
const account = Axon.start("account", Search).thenFn("show", ({ q }) =>
  html(`<p>Your key is k-4711-0815.</p><p>Nothing is called ${q}.</p>`),
);

export const shop = () =>
  Framework.http({ resources: [Parts] })
    .compressionLayer({ minBytes: 2048 })
    .get("/parts", catalogue)
    .get("/parts/drawing", drawing)
    .get("/account", account, { compress: false });

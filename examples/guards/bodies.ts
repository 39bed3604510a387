// Photographs of ships: pictures alone, of some size, and not for ever.

import { Axon, bytes, Framework } from "framework";
import { BodyLimitGuard, ContentTypeGuard, TimeoutGuard } from "framework/std";

const keep = (store: (photo: Uint8Array) => Promise<number>) =>
  Axon.start<Uint8Array>("keep").thenFn("store", async (photo) => ({ id: await store(photo) }));

export const photographs = (store: (photo: Uint8Array) => Promise<number>) =>
  Framework.http().group(
    "/photographs",
    { guards: [new ContentTypeGuard(["image/*"]), new BodyLimitGuard(500_000), new TimeoutGuard(3000)] },
    (group) =>
      group
        .post("/", keep(store), { input: bytes() })
        // The smallest limit counts, whoever says it.
        .post("/thumbnails", keep(store), { input: bytes(), bodyLimit: 50_000 }),
  );

// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/examples/postage/main.ts

import { Axon, branch, Framework, FrameworkConfig, fault, ProblemDetail, Type } from "framework";

const Parcel = Type.Object({
  grams: Type.Integer({ minimum: 1 }),
  country: Type.String({ pattern: "^[A-Z]{2}$" }),
});

const abroad = Axon.start<{ grams: number; country: string }>("abroad")
  .thenFn("embargo", (parcel) =>
    parcel.country === "XX"
      ? fault(new ProblemDetail({ status: 409, code: "EMBARGO", title: "We do not send there" }))
      : parcel,
  )
  .thenFn("rate", ({ grams }) => ({ cents: 1500 + grams }));

const postage = Axon.start("postage", Parcel)
  .thenFn("route", { branches: ["abroad"] }, (parcel) =>
    parcel.country === "DE" ? { cents: 500 } : branch("abroad", parcel),
  )
  .branch("abroad", abroad)
  .thenFn("answer", ({ cents }) => ({ price: `${(cents / 100).toFixed(2)} EUR` }));

const server = await Framework.http().post("/postage", postage).config(FrameworkConfig.load()).run();

console.log(postage.explain());
console.log(`listening on http://${server.address}`);

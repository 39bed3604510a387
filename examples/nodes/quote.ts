import { Axon, IsolationPolicy, synapse, TenantId, TenantResolver } from "framework";
import {
  ErrorNode,
  FilterNode,
  LogNode,
  type LogRecord,
  MapNode,
  MathNode,
  PatternValidator,
  RangeValidator,
  ResolveTenant,
  SwitchNode,
} from "framework/std";

import { noContract, notServed, Parcel, Quote, Rates, UnknownTenant } from "./parcel.js";

const SERVED = new Set(["DE", "FR", "IT"]);
const FRAGILE_CENTS = 250;

const tenant = new ResolveTenant(TenantResolver.header("x-tenant"), IsolationPolicy.defaultTenant("public"));

const refuse = Axon.start<Parcel>("refuse").then(new ErrorNode(notServed));

const home = Axon.start<Parcel>("home").then(new MapNode(({ grams }) => 390 + Math.ceil(grams / 10)));

const abroad = Axon.start<Parcel>("abroad").then(new MapNode(({ grams }) => 990 + Math.ceil(grams / 5)));

const fragile = Axon.start<Parcel>("fragile")
  .then(new SwitchNode(["home", "abroad"], ({ country }) => (country === "DE" ? "home" : "abroad")))
  .branch("home", home)
  .branch("abroad", abroad)
  .then(new MathNode("add", FRAGILE_CENTS));

const agree = synapse({
  name: "agree",
  description: "Asks the rates service what the tenant pays",
  uses: { rates: Rates, tenantId: TenantId },
  call: async (cents: number, bus) =>
    Math.round((cents * (await bus.rates.percentOf(bus.tenantId, bus.signal))) / 100),
  responses: [noContract],
  toFault: (thrown) => (thrown instanceof UnknownTenant ? noContract : undefined),
});

/** What a parcel costs, for the tenant that asks. */
export const quote = (write?: (record: LogRecord) => void) =>
  Axon.start("quote", Parcel)
    .then(tenant)
    .then(new PatternValidator("^[a-z]{3}-[0-9]{4}$", { field: "sku" }))
    .then(new RangeValidator({ field: "grams", min: 1, max: 30_000 }))
    .then(new FilterNode(({ country }) => SERVED.has(country)))
    .branch("rejected", refuse)
    .then(
      new SwitchNode(["fragile", "home", "abroad"], ({ fragile, country }) => {
        if (fragile === true) return "fragile";
        return country === "DE" ? "home" : "abroad";
      }),
    )
    .branch("fragile", fragile)
    .branch("home", home)
    .branch("abroad", abroad)
    .then(agree)
    .then(new LogNode("quoted", { select: (cents) => ({ cents }), ...(write && { write }) }))
    .then(new MapNode((cents) => ({ cents })))
    .withOutputSchema(Quote);

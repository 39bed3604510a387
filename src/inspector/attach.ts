// Turns the options of a program and its configuration into the extension of an ingress.

import type { FrameworkConfig } from "#config/config.js";
import type { HttpIngress } from "#http/ingress/ingress.js";
import type { ExtensionSource } from "#http/plan/ingress-plan.js";
import {
  configuredOptions,
  type InspectorOptions,
  requireInspectorOptions,
  type Settings,
} from "./settings.js";

// biome-ignore lint/suspicious/noExplicitAny: an ingress of any type parameters
type AnyIngress = HttpIngress<any, any>;

interface Attached {
  readonly said: Settings;
  /** Undefined until the program or its configuration asks for an Inspector. */
  readonly source: ExtensionSource | undefined;
}

const attached = new WeakMap<AnyIngress, Attached>();
const NOTHING: Attached = { said: { options: {}, config: undefined }, source: undefined };

/** Adds an Inspector to an ingress. Later options override earlier ones. Throws CONFIG_INVALID. */
export function attach(ingress: AnyIngress, options: InspectorOptions = {}): void {
  say(ingress, requireInspectorOptions(options), undefined, true);
}

/**
 * Applies the configuration's Inspector settings. The ingress has an Inspector if
 * `inspector.enabled` is set, also to false, or if the program asks for one before or later.
 */
export function configure(ingress: AnyIngress, config: FrameworkConfig): void {
  say(ingress, configuredOptions(config), config, config.isSet("inspector.enabled"));
}

function say(
  ingress: AnyIngress,
  options: InspectorOptions,
  config: FrameworkConfig | undefined,
  isWanted: boolean,
): void {
  const { said: before, source: known } = attached.get(ingress) ?? NOTHING;
  const said = { options: { ...before.options, ...options }, config: config ?? before.config };
  const source = isWanted || known !== undefined ? sourceOf(said) : undefined;
  attached.set(ingress, { said, source });
  const others = ingress.plan.extensions.filter((one) => one !== known);
  ingress.plan = { ...ingress.plan, extensions: source === undefined ? others : [...others, source] };
}

type InspectorModule = typeof import("./inspector.js");
let loaded: InspectorModule | undefined;

// Loaded on demand: a third of the package's code, and a quarter of its import time.
const sourceOf = (said: Settings): ExtensionSource => ({
  load: () =>
    loaded === undefined
      ? import("./inspector.js").then((module) => {
          loaded = module;
        })
      : undefined,
  make: (plan) => (loaded as InspectorModule).inspectorExtension(plan, said),
});

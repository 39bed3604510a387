// From what a program and its configuration say to the extension of its ingress.

import type { FrameworkConfig } from "#config/config.js";
import type { MakeExtension } from "#http/extension.js";
import type { HttpIngress } from "#http/ingress.js";
import { TestApp } from "#http/testing/test-app.js";
import { inspectorExtension, inspectorInMemory } from "./inspector.js";
import {
  configuredOptions,
  type InspectorOptions,
  requireInspectorOptions,
  type Settings,
} from "./settings.js";

// biome-ignore lint/suspicious/noExplicitAny: whatever it provides and needs
type AnyIngress = HttpIngress<any, any>;

interface Attached {
  readonly said: Settings;
  /** Undefined until somebody asks for an Inspector. */
  readonly make: MakeExtension | undefined;
}

const attached = new WeakMap<AnyIngress, Attached>();
const NOTHING: Attached = { said: { options: {}, config: undefined }, make: undefined };

/** Gives an ingress an Inspector; what is said later wins. Throws CONFIG_INVALID. */
export function attach(ingress: AnyIngress, options: InspectorOptions = {}): void {
  say(ingress, requireInspectorOptions(options), undefined, true);
}

/**
 * Takes what the configuration sets of the Inspector. It has one where `inspector.enabled`
 * is set, be it to false, and where the program asks for one, before or later.
 */
export function configure(ingress: AnyIngress, config: FrameworkConfig): void {
  say(ingress, configuredOptions(config), config, config.isSet("inspector.enabled"));
}

/** The Inspector of an ingress that a TestApp serves and has started. Throws where there is none. */
export function inspectorOf(ingress: AnyIngress): {
  readonly app: TestApp<never>;
  readonly token: string | undefined;
} {
  const found = inspectorInMemory(ingress.plan);
  if (found === undefined)
    throw new Error(
      "No TestApp of this ingress has started an Inspector: call inspector(), then app.start()",
    );
  return { app: new TestApp(found.ingress), token: found.token };
}

function say(
  ingress: AnyIngress,
  options: InspectorOptions,
  config: FrameworkConfig | undefined,
  isWanted: boolean,
): void {
  const { said: before, make: made } = attached.get(ingress) ?? NOTHING;
  const said = { options: { ...before.options, ...options }, config: config ?? before.config };
  const make: MakeExtension | undefined =
    isWanted || made !== undefined ? (plan) => inspectorExtension(plan, said) : undefined;
  attached.set(ingress, { said, make });
  const others = ingress.plan.extensions.filter((one) => one !== made);
  ingress.plan = { ...ingress.plan, extensions: make === undefined ? others : [...others, make] };
}

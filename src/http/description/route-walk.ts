// The stages of a request, in order, as data for `framework explain`. Nothing is served and no guard
// runs. A stage evaluates the parts that declarations alone decide: policies, required headers, media
// types and the route's input.

import type { DeclaredResponse } from "#core/bus/declared-response.js";
import type { AnyGuard, Credential } from "#core/flow/guard.js";
import type { AnyLayer } from "#core/flow/layer.js";
import type { IamPolicy } from "#core/iam/iam-policy.js";
import { outputSchemaOf } from "#runtime/definition/axon-definition.js";
import { explainDeclarations, explainSteps } from "#runtime/draw/explain.js";
import { guardsOf } from "../answer/answer-policy.js";
import { responsesOf, responsesOfInput, routeResponses } from "../answer/route-responses.js";
import type { Reader } from "../input/extraction.js";
import type { Part } from "../input/extractor.js";
import type { IngressPlan } from "../plan/ingress-plan.js";
import type { RouteDefinition } from "../plan/route-definition.js";
import { declaredInput, inputOf, limitsOf, type RouteLimits } from "../plan/route-input.js";
import { Refusal } from "../refusal/refusal.js";
import { composed } from "../request/composition.js";
import { Router, type Target } from "../routing/router.js";

/** A layer, a guard or the identity boundary. */
export interface FrontStage {
  readonly kind: "layer" | "guard" | "iam";
  readonly name: string;
  readonly description: string;
  readonly responses: readonly DeclaredResponse[];
  /** Names of headers and cookies without which a request is refused: "header:if-match". */
  readonly requires: readonly string[];
  readonly accepts: readonly string[] | undefined;
  readonly admits: IamPolicy | undefined;
  readonly credential: Credential | undefined;
}

export interface RouteWalk {
  readonly method: string;
  /** The declared path: "/orders/:id". */
  readonly path: string;
  readonly axon: { readonly name: string; readonly version: string };
  readonly limits: RouteLimits;
  readonly front: readonly FrontStage[];
  readonly input: { readonly part: Part; readonly responses: readonly DeclaredResponse[] } | undefined;
  readonly reader: Reader;
  /** Decoded segments, for the reader. */
  readonly segments: readonly string[];
  /** One line per step. */
  readonly steps: readonly string[];
  /** Guards among the steps. */
  readonly stepGuards: readonly FrontStage[];
  readonly output: { readonly $id?: string; readonly title?: string } | undefined;
  /** All responses of the route. */
  readonly responses: readonly DeclaredResponse[];
  readonly detached: boolean;
}

/** The walk of the route that serves a path, or of the fallback; else the refusal. */
export function routeWalk(plan: IngressPlan, method: string, path: string): RouteWalk | Refusal {
  const router = new Router<RouteDefinition>(plan);
  for (const route of plan.routes) router.add(route);
  router.followGet(plan.routes.filter(({ behaviour }) => behaviour < 0));
  const target: Target = { method, path, segments: [] };
  const found = router.find(target);
  const route = found instanceof Refusal && found.problem.status === 404 ? (plan.fallback ?? found) : found;
  return route instanceof Refusal ? route : walkOf(route, plan, target.segments);
}

function walkOf(route: RouteDefinition, plan: IngressPlan, segments: readonly string[]): RouteWalk {
  const axon = composed(route, plan);
  const part = declaredInput(route);
  const guards = guardsOf(axon);
  return {
    method: route === plan.fallback ? "*" : route.method,
    path: route.pattern.text,
    axon: { name: axon.name, version: axon.version },
    limits: limitsOf(route, guards, plan),
    front: [
      ...axon.layers.map(({ layer }) => frontStage("layer", layer)),
      ...axon.guards.map(({ transition }) => frontStage("guard", transition as AnyGuard)),
      ...(axon.iam === undefined ? [] : [frontStage("iam", axon.iam.boundary as AnyGuard)]),
    ],
    input: part && { part, responses: responsesOfInput(route) },
    reader: inputOf(route).reader,
    segments,
    steps: explainSteps(axon),
    stepGuards: axon.steps
      .filter(({ transition }) => transition.kind === "guard")
      .map(({ transition }) => frontStage("guard", transition as AnyGuard)),
    output: outputSchemaOf(axon),
    responses: routeResponses(route, axon, plan.runStatus !== undefined),
    detached: route.detached,
  };
}

function frontStage(kind: FrontStage["kind"], step: AnyGuard | AnyLayer): FrontStage {
  const { accepts, admits, credential, description } = step as Partial<AnyGuard>;
  return {
    ...{ kind, name: step.name, description: description ?? explainDeclarations(step) },
    responses: responsesOf(step),
    requires: (step.reads ?? []).map(({ name }) => name).filter((name) => IN_HEAD.test(name)),
    ...{ accepts, admits, credential },
  };
}

const IN_HEAD = /^(?:header|cookie|signed cookie|encrypted cookie):/;

import type { AxonDefinition, StepBody, StepDefinition } from "./axon-definition.js";

type Surroundings = Pick<AxonDefinition, "sinks" | "saga" | "dlqSink" | "dlqPolicy" | "audit">;

const nowhere: Surroundings = {
  sinks: [],
  saga: undefined,
  dlqSink: undefined,
  dlqPolicy: undefined,
  audit: undefined,
};

/** The Axon with the policies that it and its surrounding Axons set, written to each step. */
export function decided(axon: AxonDefinition, outer: Surroundings = nowhere): AxonDefinition {
  const around: Surroundings = {
    sinks: [...new Set([...axon.sinks, ...outer.sinks])],
    saga: axon.saga ?? outer.saga,
    dlqSink: axon.dlqSink ?? outer.dlqSink,
    dlqPolicy: axon.dlqPolicy ?? outer.dlqPolicy,
    audit: axon.audit ?? outer.audit,
  };
  // A run has one log.
  const persistence = outer === nowhere ? axon.persistence : undefined;
  return { ...axon, ...around, persistence, steps: axon.steps.map((step) => decidedStep(step, around)) };
}

function decidedStep(step: StepDefinition, around: Surroundings): StepDefinition {
  const { body, retry, undo, branches } = step;
  const { dlqSink, dlqPolicy, saga } = around;
  // The own steps of a subgraph are retried, each by itself. A guard's refusal is final, and so is
  // the end of a wait.
  const isWork = body.kind === "function" || body.kind === "parallel";
  const isTriedAgain = isWork && step.transition.kind !== "guard";
  const inherited = dlqSink !== undefined && isTriedAgain ? dlqPolicy?.retry : undefined;
  return {
    ...step,
    body: decidedBody(body, around),
    retry: retry ?? inherited,
    undo:
      undo && saga?.isEnabled !== false
        ? { ...undo, retry: undo.retry ?? saga?.retry, timeoutMs: saga?.timeoutMs }
        : undefined,
    branches: new Map([...branches].map(([id, attached]) => [id, decided(attached, around)])),
  };
}

function decidedBody(body: StepBody, around: Surroundings): StepBody {
  switch (body.kind) {
    case "function":
    case "wait":
    case "start":
      return body;
    case "subgraph":
      return { ...body, axon: decided(body.axon, around) };
    case "parallel":
      return { ...body, steps: body.steps.map((step) => decidedStep(step, around)) };
  }
}

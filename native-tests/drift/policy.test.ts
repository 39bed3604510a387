import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { Change, Rule } from "#drift/change.js";
import { CHANGE_POLICY } from "#drift/change.js";
import { judge } from "#drift/judge.js";
import { readPolicy } from "#drift/policy.js";
import { assertSaid } from "../support/said.js";

const POLICY = `# What a change may not do.
deny = ["guard_removal", "node_removal"]

[[allow]]
rule = "node_removal"
axon = "order"
node = "order/gift"
reason = "gifts end in March"
expires = 2027-03-31

[[allow]]
rule = "guard_removal"
axon = "order"
reason = "moved to the gateway"
expires = "2027-03-31"
`;

const change = (rule: Rule, node: string, axon = "order"): Change => ({
  ...{ area: "node", direction: "removed", mounts: ["GET /x"], text: "gone", location: undefined },
  ...{ rule, node, axon },
});
const changes = [
  change("node_removal", "order/gift"),
  change("node_removal", "order/pay"),
  change("node_removal", "other/gift", "other"),
  change("guard_removal", "order:guard/Open"),
  change("iam_weakening", "order:iam"),
];
const judged = (today: string) => {
  const { denied, allowed, unused } = judge(
    changes,
    readPolicy(POLICY, "policy.toml", CHANGE_POLICY),
    ({ node }) => node,
    today,
  );
  return {
    denied: denied.map(({ change, expired }) => [change.node, expired?.line]),
    allowed: allowed.map(({ change, by }) => [change.node, by.line]),
    unused,
  };
};
const refusal = (text: string): string => {
  try {
    readPolicy(text, "policy.toml", CHANGE_POLICY);
  } catch (error) {
    return (error as Error).message;
  }
  return "none";
};

describe("a policy", () => {
  test("denies what it names, but for what is allowed for a node or a whole Axon", () => {
    assert.deepEqual(judged("2027-03-31"), {
      denied: [
        ["order/pay", undefined],
        ["other/gift", undefined],
      ],
      allowed: [
        ["order/gift", 4],
        ["order:guard/Open", 11],
      ],
      unused: [],
    });
  });

  test("denies what was allowed up to yesterday, and says which table it was", () => {
    assert.deepEqual(judged("2027-04-01").denied, [
      ["order/gift", 4],
      ["order/pay", undefined],
      ["other/gift", undefined],
      ["order:guard/Open", 11],
    ]);
  });

  test("names the tables that nothing needs", () => {
    const policy = readPolicy(POLICY, "policy.toml", CHANGE_POLICY);

    assert.deepEqual(
      judge([], policy, () => undefined, "2027-01-01").unused.map(({ line }) => line),
      [4, 11],
    );
  });

  test("has no key, rule or day that it does not know: each is refused at its line, with what was meant", () => {
    const none = /^policy.toml:1: deny .*, as in deny = \["guard_removal"\]; there are /;
    assertSaid(refusal('denny = ["guard_removal"]').split("\n"), [
      /:1: .*"denny"; did you mean deny\?$/,
      none,
    ]);
    assertSaid([refusal("")], [none]);
    assert.match(refusal('deny = ["guard_removl"]'), /^policy.toml:1: .*did you mean guard_removal\?$/);
    assertSaid(
      refusal(`${POLICY}\n[[allow]]\nrule = "node_removal"\naxn = "order"\nexpires = "soon"`).split("\n"),
      [
        /^policy\.toml:19: .*"axn"; did you mean axon\?$/,
        /^policy\.toml:17: axon is missing: .*, as in axon = "\.\.\."$/,
        /^policy\.toml:17: reason is missing: .*, as in reason = "\.\.\."$/,
        /^policy\.toml:20: expires is "soon": .*, as in expires = 2027-03-31$/,
      ],
    );
    assert.match(refusal("deny = [\n"), /^policy.toml:\d+:\d+: Invalid TOML/);
    assert.match(
      refusal('deny = ["node_removal"]\n[allow]\nrule = "x"'),
      /^policy.toml:2: allow .*list of tables/,
    );
  });
});

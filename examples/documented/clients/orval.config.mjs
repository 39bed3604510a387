// `orval` without arguments reads this file.

const calls = (name) => ({
  input: `generated/${name}.json`,
  output: {
    target: `generated/${name}-calls.ts`,
    client: "fetch",
    // Node.js wants the extension; with a bundler leave it out.
    override: { mutator: { path: "call.ts", name: "call", extension: ".js" } },
  },
});

export default { shop: calls("shop"), ferries: calls("ferries"), tides: calls("tides") };

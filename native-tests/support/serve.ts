// Runs the `ingress` of a module as a program: serve.ts ./MODULE.js OPTIONS, with the module seen
// from here and the options of the ingress as JSON.

const [, , module = "", options = "{}"] = process.argv;
const { ingress } = await import(module);
const server = await ingress(JSON.parse(options)).run();

if (server.role !== "worker") console.log(`listening ${server.address}`);

export {};

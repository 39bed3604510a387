// Installs the packed package into an empty project, as its users do, and asks a
// small server there.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const SERVER = `
import { Axon, Framework, Type } from "framework";

const Greeting = Type.Object({ name: Type.String({ minLength: 1 }) });
const greet = Axon.start("greet", Greeting).thenFn("greet", ({ name }) => ({ hello: name }));

const server = await Framework.http().bind("127.0.0.1:0").post("/greet", greet).run();
console.log("listening " + server.address);
`;

const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

run("node", ["scripts/build.mjs"], ".");
mkdirSync(".build", { recursive: true });
const packed = run("npm", ["pack", "--silent", "--pack-destination", ".build"], ".")
  .trim()
  .split("\n")
  .at(-1);
const project = mkdtempSync(join(tmpdir(), "framework-package-"));
let server;
try {
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
  writeFileSync(join(project, "server.js"), SERVER);
  run("npm", ["install", "--silent", resolve(".build", packed)], project);

  server = spawn(process.execPath, ["server.js"], { cwd: project, stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((told, failed) => {
    server.stdout.setEncoding("utf8").on("data", (text) => told(/listening (\S+)/.exec(text)?.[1]));
    server.on("exit", (code) => failed(new Error(`The server ended with ${code}`)));
  });
  const ask = async (name) => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`http://${address}/greet`, {
      method: "POST",
      headers,
      body: JSON.stringify({ name }),
    });
    return `${answer.status} ${JSON.stringify((await answer.json()).hello)}`;
  };
  const answers = [await ask("Ada"), await ask("")];
  if (answers.join() !== '200 "Ada",422 undefined')
    throw new Error(`The server answered ${answers.join(", ")}`);
  console.log(`An empty project with ${packed} answers: ${answers.join(", ")}`);
} finally {
  server?.kill();
  rmSync(project, { recursive: true, force: true });
  rmSync(join(".build", packed));
}

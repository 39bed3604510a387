// Tries each template as a user does: creates it with the packed program, installs, tests, builds and starts
// it, sends a request, and runs it with `framework dev`.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const json = (value) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value),
});
const BOOKING = {
  ...{ doctor: "Lund", day: "2030-05-02", time: "09:30" },
  ...{ patient: "Ada", card: "4000123412341234" },
};

/** A request to each, and the status of its response. */
const REQUESTS = {
  api: ["/books", {}, 200],
  worker: ["/forecasts", json({ days: 7, perDay: 3 }), 202],
  bookings: ["/bookings", json(BOOKING), 200],
  static: ["/", {}, 200],
};

/** `packed` is the tarball. `project` has it installed; each template gets a folder there. */
export async function tryTemplates(packed, project) {
  for (const [template, [path, request, status]] of Object.entries(REQUESTS)) {
    const folder = join(project, template);
    const run = (command, args, cwd) =>
      execFileSync(command, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
    const given = ["--template", template, "--framework", packed];
    run("npx", ["--no-install", "framework", "new", `try-${template}`, "--dir", template, ...given], project);
    run("npm", ["install", "--silent"], folder);
    run("npm", ["test"], folder);
    run("npm", ["run", "build"], folder);
    for (const command of [
      ["dist/main.js"],
      ["node_modules/framework/dist/cli/main.js", "dev", "src/main.ts"],
    ]) {
      const server = await started(command, folder);
      try {
        const response = await fetch(`${server.url}${path}`, request);
        if (response.status !== status)
          throw new Error(`${template}, ${command[0]}: ${path} was answered ${response.status}`);
      } finally {
        await server.stop();
      }
    }
    console.log(`The template ${template} passes its tests, compiles, and answers ${status}`);
  }
}

async function started(command, cwd) {
  const env = { ...process.env, FRAMEWORK_SERVER_PORT: "0", FRAMEWORK_INSPECTOR_PORT: "0" };
  const child = spawn(process.execPath, command, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  let written = "";
  const url = await new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => {
        written += text;
        // "url" of the line that main.ts logs, in JSON or as pretty text.
        const [, found] = /\burl"?[:=] ?"?(http:[^"\s]+)/.exec(written) ?? [];
        if (found !== undefined) resolve(found);
      });
    void exited.then(([code]) => reject(new Error(`${command.join(" ")} ended with ${code}:\n${written}`)));
  });
  return {
    url,
    stop: async () => {
      child.kill("SIGINT");
      const [code] = await exited;
      if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}:\n${written}`);
    },
  };
}

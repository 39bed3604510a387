// nginx as an arm: one process, which ends with the benchmark, its files in a folder that does too.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { atExit } from "./at-exit.mjs";

const PATH = `${process.env.PATH}:/usr/sbin:/sbin`;

export const hasNginx = spawnSync("nginx", ["-v"], { env: { PATH } }).error === undefined;

const config = (port, root) => `
daemon off;
master_process off;
worker_processes 1;
pid nginx.pid;
error_log stderr crit;
events { worker_connections 1024; }
http {
  types { text/plain txt; }
  access_log off;
  sendfile on;
  tcp_nopush on;
  tcp_nodelay on;
  etag on;
  keepalive_requests 1000000000;
  open_file_cache max=1000 inactive=60s;
  open_file_cache_valid 1s;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  server {
    listen 127.0.0.1:${port};
    location /files/ { alias ${root}/; }
  }
}
`;

/** The command of an nginx that serves the folder below /files/. */
export function nginxCommand(port, root) {
  const folder = mkdtempSync(join(tmpdir(), "framework-bench-nginx-"));
  atExit(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "nginx.conf"), config(port, root));
  return ["env", `PATH=${PATH}`, "nginx", "-p", folder, "-c", "nginx.conf", "-e", "stderr"];
}

// Kubernetes sets variables for each Service of a namespace, whose names may begin as ours do.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Framework } from "framework";
import { explain } from "#config/explain.js";
import { loaded } from "../support/config-folder.js";

/** The variables of a Service with one port that has a name. */
function linksOf(service: string, protocol = "TCP"): Record<string, string> {
  const name = service.toUpperCase().replaceAll("-", "_");
  const port = `${name}_PORT_80_${protocol}`;
  const url = `${protocol.toLowerCase()}://10.96.12.7:80`;
  return {
    [`${name}_SERVICE_HOST`]: "10.96.12.7",
    [`${name}_SERVICE_PORT`]: "80",
    [`${name}_SERVICE_PORT_HTTP`]: "80",
    [`${name}_PORT`]: url,
    [port]: url,
    [`${port}_PROTO`]: protocol.toLowerCase(),
    [`${port}_PORT`]: "80",
    [`${port}_ADDR`]: "10.96.12.7",
  };
}

describe("variables of Kubernetes", () => {
  test("are ignored, whichever Service they are of, and named", () => {
    const defaults = JSON.stringify(loaded());
    const services = [
      "framework",
      "framework-server",
      "framework-inspector",
      "framework-profile",
      "framework-v2",
    ];
    for (const service of services)
      for (const protocol of ["TCP", "UDP", "SCTP"]) {
        const env = linksOf(service, protocol);
        const config = loaded(undefined, env);

        assert.equal(JSON.stringify(config), defaults, service);
        assert.deepEqual([...config.serviceLinks].sort(), Object.keys(env).sort());
      }
    assert.deepEqual(loaded(undefined, linksOf("orders")).serviceLinks, []);
  });

  test("leave what is set of ours, and mistakes in it", () => {
    const env = { ...linksOf("framework"), FRAMEWORK_SERVER_PORT: "8080", FRAMEWORK_SERVER_HOST: "::1" };
    const { server } = loaded(undefined, env);

    assert.deepEqual([server.port, server.host], [8080, "::1"]);
    for (const name of ["FRAMEWORK_PORT", "FRAMEWORK_SERVER_PORT", "FRAMEWORK_SERVICE", "FRAMEWORK_PORTS"])
      assert.throws(() => loaded(undefined, { [name]: "eighty" }), { code: "CONFIG_INVALID" }, name);
    assert.throws(() => loaded(undefined, { FRAMEWORK_SERVER_HOST: "tcp://10.0.0.1" }), {
      code: "CONFIG_INVALID",
    });
  });

  test("are told of in one line, with the setting that leaves them out", () => {
    const reports: string[] = [];
    const reporter = ({ code, message }: { code: string; message: string }) =>
      void reports.push(`${code} ${message}`);
    const config = loaded(undefined, {
      FRAMEWORK_PORT: "tcp://10.0.0.1:80",
      FRAMEWORK_SERVICE_HOST: "10.0.0.1",
    });
    Framework.http({ reporter }).config(config);
    Framework.http({ reporter }).config(loaded());

    assert.deepEqual(reports, [
      "SERVICE_LINKS_IGNORED Ignored FRAMEWORK_PORT, FRAMEWORK_SERVICE_HOST: Kubernetes sets them for Services; `enableServiceLinks: false` in the pod's spec leaves them out",
    ]);
    assert.match(
      explain(config),
      /^ignored {2}FRAMEWORK_PORT, FRAMEWORK_SERVICE_HOST: .*enableServiceLinks: false/m,
    );
    assert.doesNotMatch(explain(loaded()), /ignored/);
  });
});

describe("an empty variable", () => {
  test("counts as unset, known or not", () => {
    const toml = "[server]\nport = 80\ntrusted_proxies = ['::1']\n[tls]\ncert_path = 'a.pem'";
    const env = {
      ...{ FRAMEWORK_SERVER_PORT: "", FRAMEWORK_SERVER_TRUSTED_PROXIES: "", FRAMEWORK_TLS_CERT_PATH: "" },
      ...{ FRAMEWORK_PROFILE: "", FRAMEWORK_NOT_OURS: "", OTEL_SERVICE_NAME: "shop" },
      ...{ FRAMEWORK_TELEMETRY_SERVICE_NAME: "", FRAMEWORK_INSPECTOR_BEARER_TOKEN: "" },
    };
    const { server, tls, telemetry, inspector } = loaded(toml, env);

    assert.deepEqual([server.port, server.trustedProxies, tls.certPath], [80, ["::1"], "a.pem"]);
    assert.deepEqual([telemetry.serviceName, inspector.bearerToken], ["shop", undefined]);
  });
});

describe("OTEL_TRACES_EXPORTER", () => {
  test("none switches traces off, and no other value decides", () => {
    const cases: readonly (readonly [env: Record<string, string>, enabled: boolean])[] = [
      [{ OTEL_TRACES_EXPORTER: "none" }, false],
      [{ OTEL_TRACES_EXPORTER: "None", OTEL_SDK_DISABLED: "false" }, false],
      [{ OTEL_TRACES_EXPORTER: "otlp" }, true],
      [{ OTEL_TRACES_EXPORTER: "" }, true],
      [{ OTEL_TRACES_EXPORTER: "console" }, true],
      [{ OTEL_TRACES_EXPORTER: "otlp", OTEL_SDK_DISABLED: "true" }, false],
      [{ OTEL_TRACES_EXPORTER: "none", FRAMEWORK_TELEMETRY_ENABLED: "true" }, true],
    ];

    for (const [env, enabled] of cases)
      assert.equal(loaded(undefined, env).telemetry.enabled, enabled, JSON.stringify(env));
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";

import { certificateFolder, localCertificate } from "../../native-tests/support/certificate-folder.js";
import { issue } from "../../native-tests/support/issued-certificate.js";
import { connected, got, portOf, shownNow } from "../../native-tests/support/tls-client.js";
import { lighthouse, lighthouses } from "./lighthouse.js";

const folder = certificateFolder();
const { authority, own } = localCertificate();
const files = folder.pair(own);

describe("the lighthouse", () => {
  test("is reached by https, and says so to browsers for good", async () => {
    const server = await lighthouse(files).bind("127.0.0.1:0").run();
    const socket = await connected(server, { ca: authority.cert });

    const { head, body } = await got(socket, "/where", "localhost:3443");
    assert.deepEqual(JSON.parse(body), { scheme: "https", origin: "https://localhost:3443" });
    assert.match(head, /strict-transport-security: max-age=31536000; includeSubDomains/);
    assert.equal(server.url, `https://127.0.0.1:${portOf(server)}`);
    socket.destroy();
    await server.close();
  });

  test("speaks https in a TestApp too, without a certificate", async () => {
    const app = new TestApp(lighthouse({ cert: "none.crt", key: "none.key" }));

    const { json, headers } = await app.get("/where");
    assert.deepEqual(json, { scheme: "https", origin: "https://test.local" });
    assert.ok(headers["strict-transport-security"]);
  });

  test("shows each site its own certificate", async () => {
    const keeper = issue({ subject: "keeper", names: ["keeper.example"], issuer: authority });
    const server = await lighthouses(files, folder.pair(keeper, "keeper")).bind("127.0.0.1:0").run();

    assert.equal(await shownNow(server, { servername: "keeper.example" }), "keeper");
    assert.equal(await shownNow(server, { servername: "localhost" }), "localhost");
    await server.close();
  });
});

// oidc-provider on this machine: a real authorisation server, with everything in its memory.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import type { Configuration, Provider } from "oidc-provider";

import type { SigningKey } from "./jwks-server.js";

export const JWT_RESOURCE = "https://jwt.api.example";
export const OPAQUE_RESOURCE = "https://opaque.api.example";
/** With what a form encodes otherwise. */
export const CLIENT = { clientId: "the service", clientSecret: "a: secret+with%7E ~all&of=it" } as const;
export const POST_CLIENT = { clientId: "posting", clientSecret: "another secret" } as const;

export interface AuthorizationServer {
  readonly issuer: string;
  readonly provider: Provider;
  /** How often its keys were asked for. */
  keysAsked: number;
  /** A client's own access token, as a JWT or opaque. */
  readonly token: (resource: string) => Promise<string>;
  /** What somebody has who logged in: minted past the pages of the flow, by the server's own models. */
  readonly userTokens: (accountId: string) => Promise<{ readonly access: string; readonly refresh: string }>;
  readonly revoke: (token: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Port 0: any. Signs with the first of its keys. Stopped after the tests of the file. */
export async function authorizationServer(
  keys: readonly SigningKey[],
  port = 0,
): Promise<AuthorizationServer> {
  const http = createServer();
  await listening(http, port);
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  // Not before: where code must not be generated it cannot be loaded.
  const { Provider } = await import("oidc-provider");
  const provider = new Provider(issuer, configurationOf(keys));
  const handle = provider.callback();
  http.on("request", (request, response) => {
    if (request.url === "/jwks") server.keysAsked += 1;
    void handle(request, response);
  });
  const post = async (path: string, members: Readonly<Record<string, string>>): Promise<string> => {
    const credentials = [CLIENT.clientId, CLIENT.clientSecret].map((text) =>
      encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`),
    );
    const ask = (): Promise<Response> =>
      fetch(`${issuer}${path}`, {
        method: "POST",
        headers: { authorization: `Basic ${Buffer.from(credentials.join(":")).toString("base64")}` },
        body: new URLSearchParams(members),
      });
    // Once more: the connection that was kept may be that of a server before this one.
    const response = await ask().catch(ask);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status} ${text}`);
    return text;
  };
  const stop = async (): Promise<void> => {
    http.close();
    http.closeAllConnections();
    // Until the clients of this process have seen it too: the next server may have the same port.
    await sleep(30);
  };
  const server: AuthorizationServer = {
    issuer,
    provider,
    keysAsked: 0,
    token: async (resource) =>
      JSON.parse(await post("/token", { grant_type: "client_credentials", scope: "read", resource }))
        .access_token,
    userTokens: (accountId) => userTokens(provider, accountId),
    revoke: async (token) => void (await post("/token/revocation", { token })),
    stop,
  };
  after(stop);
  return server;
}

async function listening(http: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    http.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
}

async function userTokens(provider: Provider, accountId: string) {
  const client = await provider.Client.find(CLIENT.clientId);
  if (client === undefined) throw new Error("the client is configured");
  const grant = new provider.Grant({ accountId, clientId: CLIENT.clientId });
  grant.addResourceScope(OPAQUE_RESOURCE, "read");
  const grantId = await grant.save();
  const shared = { accountId, client, grantId, scope: "read", gty: "authorization_code", claims: {} };
  const access = new provider.AccessToken({ ...shared } as never);
  access.setAudience(OPAQUE_RESOURCE);
  const refresh = new provider.RefreshToken(shared as never);
  return { access: await access.save(), refresh: await refresh.save() };
}

const configurationOf = (keys: readonly SigningKey[]): Configuration => ({
  jwks: {
    keys: keys.map(({ jwk, privateKey }) => ({
      ...privateKey.export({ format: "jwk" }),
      kid: jwk.kid,
      alg: "ES256",
      use: "sig",
    })) as never,
  },
  clients: [clientOf(CLIENT, "client_secret_basic"), clientOf(POST_CLIENT, "client_secret_post")],
  extraTokenClaims: (_, { kind }) => (kind === "AccessToken" ? { roles: ["admin"] } : undefined),
  ttl: { AccessToken: 60, RefreshToken: 60, ClientCredentials: 60, Grant: 60 },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    introspection: { enabled: true, allowedPolicy: () => true },
    revocation: { enabled: true, allowedPolicy: () => true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_, resource) => ({
        scope: "read",
        audience: resource,
        accessTokenTTL: 60,
        accessTokenFormat: resource === JWT_RESOURCE ? "jwt" : "opaque",
        jwt: { sign: { alg: "ES256" } },
      }),
    },
  },
});

const clientOf = (
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
  method: "client_secret_basic" | "client_secret_post",
) => ({
  client_id: clientId,
  client_secret: clientSecret,
  token_endpoint_auth_method: method,
  id_token_signed_response_alg: "ES256" as const,
  grant_types: ["client_credentials"],
  redirect_uris: [],
  response_types: [],
});

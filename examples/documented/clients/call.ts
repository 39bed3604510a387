// The fetch of the functions that orval generates: what all calls share, such as the server and a token.

export const server = { url: "http://127.0.0.1:3000" };

export async function call<T>(path: string, init: RequestInit): Promise<T> {
  const response = await fetch(new URL(path, server.url), init);
  const text = await response.text();
  const data: unknown = text === "" ? undefined : JSON.parse(text);
  return { status: response.status, data, headers: response.headers } as T;
}

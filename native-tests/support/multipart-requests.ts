import type { TestApp } from "framework/http";

/** As the fetch of Node.js writes it. */
export async function post(app: TestApp<never>, form: FormData, target = "/") {
  const request = new Request("http://a", { method: "POST", body: form });
  const body = new Uint8Array(await request.arrayBuffer());
  return app.post(target, { body, headers: { "content-type": request.headers.get("content-type") ?? "" } });
}

export function formOf(entries: readonly (readonly [string, string | File])[]): FormData {
  const form = new FormData();
  for (const [name, value] of entries) form.append(name, value);
  return form;
}

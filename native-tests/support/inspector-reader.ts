// Somebody who reads the Inspector's page, and whose clicks are counted.

import assert from "node:assert/strict";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

export class InspectorReader {
  readonly page: Page;
  /** What the browser complained about: a policy that was broken, a script that failed. */
  readonly complaints: string[] = [];
  /** Hosts that anything was asked of. */
  readonly hosts = new Set<string>();

  private constructor(page: Page) {
    this.page = page;
    page.on("pageerror", (error) => this.complaints.push(error.message));
    page.on("console", (message) => {
      // A status is no mistake of the page's.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
        this.complaints.push(message.text());
    });
    page.on("request", (request) => this.hosts.add(new URL(request.url()).host));
    page.on("websocket", (socket) => this.hosts.add(new URL(socket.url()).host));
  }

  /** On the link that the server printed. */
  static async open(
    browser: Browser,
    link: string,
    options: BrowserContextOptions = {},
  ): Promise<InspectorReader> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const page = await context.newPage();
    await page.addInitScript(() => {
      const counted = globalThis as unknown as { clicks: number; addEventListener: typeof addEventListener };
      counted.clicks = 0;
      // Of a hand: a key that presses a button is none.
      counted.addEventListener("pointerdown", () => (counted.clicks += 1), true);
    });
    const reader = new InspectorReader(page);
    await page.goto(link);
    await page.getByRole("navigation", { name: "Views" }).waitFor();
    return reader;
  }

  /** The view of that name, by a click. */
  async view(name: string): Promise<void> {
    await this.page
      .getByRole("navigation", { name: "Views" })
      .getByRole("link", { name: new RegExp(`^${name}`) })
      .click();
  }

  button(name: string | RegExp) {
    return this.page.getByRole("button", { name, exact: typeof name === "string" });
  }

  /** Any text on screen, waited for. */
  async sees(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  /** Until that is true in the page, whose policy lets waitForFunction look only once. */
  async becomes(expression: string): Promise<void> {
    await this.page.evaluate(`new Promise((done, failed) => {
      const end = Date.now() + 30_000;
      const look = () => {
        if (${expression}) done();
        else if (Date.now() > end) failed(new Error("it does not become true"));
        else setTimeout(look, 20);
      };
      look();
    })`);
  }

  clicks(): Promise<number> {
    return this.page.evaluate("clicks");
  }

  async close(): Promise<void> {
    // An answer that a test changes on its way may still be on it.
    await this.page.unrouteAll({ behavior: "ignoreErrors" });
    await this.page.context().close();
    assert.deepEqual(this.complaints, []);
  }
}

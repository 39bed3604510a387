// Keys of a URL, asked of a server that a test tells what to do, on a clock that it moves by hand.

import { KeyObject } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import type { IamError, Report } from "framework/core";
import { JwtKeys, type RemoteKeysOptions } from "framework/std";

import { type Answer, askedServer, HandClock, patient } from "./jwks-server.js";

export async function servedKeys(answer: Answer, options: RemoteKeysOptions = {}) {
  const server = await askedServer(answer);
  const clock = new HandClock();
  const reports: Report[] = [];
  const reporter = (report: Report) => void reports.push(report);
  const keys = JwtKeys.url(`${server.base}/jwks?tenant=secret`, { clock, reporter, ...options });
  const find = (kid: string | undefined) => keys.find({ alg: "ES256", kid }, patient);
  const said = async (kid: string | undefined) => wordOf(await find(kid));
  /** Until what goes on in the background has been answered: who asks for an unknown key waits for it. */
  const loaded = async (asked: number) => {
    while (server.asked < asked) await sleep(1);
    await said("unknown");
  };
  /** Time in which somebody would have asked. */
  const quiet = () => sleep(20);
  return { server, clock, reports, keys, find, said, loaded, quiet };
}

export const wordOf = (found: KeyObject | IamError | undefined) => {
  if (found instanceof KeyObject) return "key";
  return found === undefined ? "none" : found.kind;
};

// Figures of the process and its event loop.

import {
  monitorEventLoopDelay,
  type NodeGCPerformanceDetail,
  PerformanceObserver,
  performance,
} from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";

import { LatencySeries } from "./measure/latency-series.js";
import type { Measured } from "./measure/measured.js";
import type { ProcessSnapshot } from "./metrics-snapshot.js";

/** The monitor detects a delay when its timer is later than this. */
const RESOLUTION_MS = 20;

/** Delays of the event loop in the last second. */
export interface LoopDelay {
  readonly p50Us: number;
  readonly p99Us: number;
  readonly maxUs: number;
}

const GC_KINDS: ReadonlyMap<number, string> = new Map([
  [1, "minor"],
  [4, "major"],
  [8, "incremental"],
  [16, "weak_callbacks"],
]);

export class ProcessSeries {
  /** Durations of garbage collections, by kind. */
  readonly gc: ReadonlyMap<string, LatencySeries>;
  delay: LoopDelay = { p50Us: 0, p99Us: 0, maxUs: 0 };
  /** Share of the last second in which the event loop was busy. */
  utilisation = 0;
  #cpuPpm = 0;
  readonly #monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #gcObserver: PerformanceObserver;
  #loop = performance.eventLoopUtilization();
  #cpu = process.cpuUsage();
  #tickedAt: number;

  constructor(measured: Measured, now: number) {
    this.#tickedAt = now;
    const gc = new Map([...GC_KINDS.values()].map((kind) => [kind, new LatencySeries(measured)]));
    this.gc = gc;
    this.#gcObserver = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { kind = 0 } = (entry as unknown as { readonly detail: NodeGCPerformanceDetail }).detail;
        gc.get(GC_KINDS.get(kind) ?? "")?.record(entry.duration * 1000);
      }
    });
  }

  start(): void {
    this.#monitor.enable();
    this.#gcObserver.observe({ entryTypes: ["gc"] });
  }

  stop(): void {
    this.#monitor.disable();
    this.#gcObserver.disconnect();
  }

  tick(now: number): void {
    const [loop, cpu] = [performance.eventLoopUtilization(), process.cpuUsage()];
    this.utilisation = performance.eventLoopUtilization(loop, this.#loop).utilization;
    const cpuUs = cpu.user + cpu.system - this.#cpu.user - this.#cpu.system;
    const elapsedUs = (now - this.#tickedAt) * 1000;
    this.#cpuPpm = elapsedUs > 0 ? Math.max(0, Math.round((cpuUs / elapsedUs) * 1e6)) : 0;
    [this.#loop, this.#cpu, this.#tickedAt] = [loop, cpu, now];
    const monitor = this.#monitor;
    const us = (ns: number): number => Math.max(0, Math.round(ns / 1000) - RESOLUTION_MS * 1000);
    this.delay =
      monitor.count === 0
        ? { p50Us: 0, p99Us: 0, maxUs: 0 }
        : { p50Us: us(monitor.percentile(50)), p99Us: us(monitor.percentile(99)), maxUs: us(monitor.max) };
    monitor.reset();
  }

  snapshot(): ProcessSnapshot {
    const { heapUsed, rss } = process.memoryUsage();
    return {
      pid: process.pid,
      uptimeMs: Math.round(process.uptime() * 1000),
      cpuPpm: this.#cpuPpm,
      heapUsedBytes: heapUsed,
      heapLimitBytes: getHeapStatistics().heap_size_limit,
      rssBytes: rss,
      loopDelayP99Us: this.delay.p99Us,
      loopUtilisation: Math.min(1, Math.max(0, this.utilisation)),
    };
  }
}

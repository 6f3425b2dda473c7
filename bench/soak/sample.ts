import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LedgerAccount } from '../sides/side.ts'
import type { UnderstudySide } from '../sides/understudy.ts'

/** The mirror's memory and handles at one moment. */
export interface Sample {
  atMs: number
  rssBytes: number
  heapUsedBytes: number
  /** Open file descriptors: files, sockets, pipes. */
  handles: number
  /** Bytes counted towards `capture.memoryMax`. */
  heldBytes: number
  ledger: LedgerAccount
}

/** Takes samples until aborted; `atMs` counts from the call. */
export async function sampleEvery(
  everyMs: number,
  mirror: UnderstudySide,
  signal: AbortSignal,
  progress: (sample: Sample) => void,
): Promise<Sample[]> {
  const samples: Sample[] = []
  const startedAt = performance.now()
  for (let i = 1; !signal.aborted; i++) {
    await sleep(startedAt + i * everyMs - performance.now(), undefined, { signal }).catch(() => {})
    if (signal.aborted) break
    const sample = { atMs: performance.now() - startedAt, ...(await sampleOnce(mirror)) }
    samples.push(sample)
    progress(sample)
  }
  return samples
}

async function sampleOnce(mirror: UnderstudySide): Promise<Omit<Sample, 'atMs'>> {
  const metrics = await (await fetch(`${mirror.adminUrl}/metrics`)).text()
  return {
    rssBytes: rssBytes(mirror.pid),
    handles: handleCount(mirror.pid),
    heapUsedBytes: metricOf(metrics, 'nodejs_heap_size_used_bytes'),
    heldBytes: metricOf(metrics, 'understudy_mirror_held_bytes'),
    ledger: await mirror.ledger(),
  }
}

export const handleCount = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

function rssBytes(pid: number): number {
  return 1024 * Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1])
}

/** Value of a metric without labels; NaN if there is none of that name. */
const metricOf = (metrics: string, name: string): number =>
  Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? Number.NaN)

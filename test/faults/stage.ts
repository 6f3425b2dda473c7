import { mkdtempSync, rmSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { freePorts } from '../../runtime/testing/free-ports.ts'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { healthy } from './candidates/healthy.ts'
import { RecordingComparator } from './comparator.ts'
import { load } from './load.ts'
import { type Account, MirrorProcess } from './mirror-process.ts'
import { recordingPrimary } from './primary.ts'
import { type ServerOnPort, startServer } from './server-on-port.ts'
import { viewsWithoutMirroring } from './without-mirroring.ts'

const loadRequests = 600
const probeRequests = 30
const lookEveryMs = 20
/** For each candidate: detects a fault, and its end, within a second. */
const soon = { deadline: '500ms', breaker: { cooldown: '500ms' } }

export interface StageOptions {
  /**
   * One route with a candidate per validation, all with the same name; the value is added to the candidate's config.
   */
  validations: Record<string, object>
  /** Further fields of a route, by name. */
  routes?: Record<string, object>
  /** Further sections of the mirror's config. */
  section?: object
  /** The primary's host name in the config. */
  primaryHost?: string
  spoolSizeMax?: string
  /** A command prefix for the mirror, given its spool directory. */
  within?: (spool: string) => readonly string[]
}

/** One mirror process and its surroundings, for one fault after another. */
export interface Stage {
  mirror: MirrorProcess
  primary: ServerOnPort
  candidate: ServerOnPort
  comparator: ServerOnPort
  recording: RecordingComparator
  spool: string
  behave(candidate: RequestListener): void
  /**
   * Two seconds of traffic. Asserts that every client got exactly the bytes it gets without mirroring, that the primary
   * got every request once, and that the ledger balanced at every look.
   */
  load(validation: string): Promise<void>
  /** A little traffic, with the same assertions. */
  probe(validation: string): Promise<void>
  /** Sends traffic until the comparator has received an answered observation. */
  recover(validation: string): Promise<void>
  /** The account once nothing is pending or held; asserts that it counts what was sent plus `others`. */
  settle(validation: string, others?: number): Promise<Account>
  close(): Promise<void>
}

export async function startStage({
  validations,
  spoolSizeMax = '1GiB',
  primaryHost = '127.0.0.1',
  ...options
}: StageOptions): Promise<Stage> {
  const directory = mkdtempSync(join(tmpdir(), 'understudy-faults-'))
  const spool = mkdtempSync(join(directory, 'spool-'))
  // a fixed port, which no outgoing connection can take while its server is dead
  const port = await freePorts(2)
  const { received, answer } = recordingPrimary()
  const recording = new RecordingComparator()
  let behaviour: RequestListener = healthy
  const primary = await startServer(0, answer)
  const candidate = await startServer(port, (request, response) => {
    request.on('error', () => {})
    behaviour(request, response)
  })
  const comparator = await startServer(port + 1, recording.answer)
  const config = {
    primary: `http://${primaryHost}:${primary.port}`,
    comparator: { url: comparator.url, token: 'faults' },
    spool: { dir: spool, sizeMax: spoolSizeMax },
    routes: Object.entries(validations).map(([validation, fields]) => ({
      path: `/${validation}`,
      ...options.routes?.[validation],
      candidates: [{ validation, url: candidate.url, ...soon, ...fields }],
    })),
    ...options.section,
  }
  const mirror = await MirrorProcess.start(directory, config, options.within?.(spool))
  const sent = new Map<string, number>()
  let loads = 0

  const send = async (validation: string, requests: number) => {
    const expected = await viewsWithoutMirroring(loadRequests)
    const name = `${validation}-${loads++}`
    sent.set(validation, (sent.get(validation) ?? 0) + requests)
    const result = await load({ url: `${mirror.url}/${validation}`, name, requests })
    expect(result.errors).toEqual([])
    expect(result.views).toEqual(expected.slice(0, requests))
    const wrong = [...result.sent].filter(([id, digest]) => received.get(id)?.join() !== digest)
    expect(wrong).toEqual([])
  }

  return {
    mirror,
    primary,
    candidate,
    comparator,
    recording,
    spool,
    behave(next) {
      behaviour = next
    },
    async load(validation) {
      const watch = watchLedger(mirror)
      await send(validation, loadRequests)
      await watch.end()
    },
    probe: (validation) => send(validation, probeRequests),
    async recover(validation) {
      const answered = () => recording.counts(validation).answered ?? 0
      const before = answered()
      const probe = async () => {
        await send(validation, probeRequests)
        return answered() > before
      }
      await waitFor(`an observation of ${validation} that was answered`, probe)
    },
    async settle(validation, others = 0) {
      const account = await waitFor(`${validation} to come to rest`, async () => {
        const account = (await mirror.ledger())[validation]!
        const held = await mirror.metric('understudy_mirror_held_bytes')
        return account.pending === 0 && held === 0 ? account : undefined
      })
      assertBalanced({ [validation]: account })
      expect(account.seen).toBe(sent.get(validation)! + others)
      expect(account.delivered).toBe(recording.outcomes.get(validation)?.size ?? 0)
      return account
    },
    async close() {
      await mirror.kill()
      for (const server of [primary, candidate, comparator]) await server.die()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function watchLedger(mirror: MirrorProcess): { end(): Promise<void> } {
  let isOver = false
  const looking = (async () => {
    while (!isOver) {
      assertBalanced(await mirror.ledger())
      await sleep(lookEveryMs)
    }
  })()
  looking.catch(() => {}) // `end` throws it
  return {
    end() {
      isOver = true
      return looking
    },
  }
}

function assertBalanced(accounts: Record<string, Account>): void {
  for (const [validation, { seen, delivered, pending, skipped }] of Object.entries(accounts)) {
    const ended = Object.values(skipped).reduce((sum, count) => sum + count, 0)
    expect({ validation, seen }).toEqual({ validation, seen: delivered + pending + ended })
  }
}

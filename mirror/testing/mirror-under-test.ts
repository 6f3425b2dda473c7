import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { decodeSection } from '../../runtime/config/load-config.ts'
import { createLogger } from '../../runtime/logger.ts'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { type MirrorConfig, mirrorSchema } from '../config.ts'
import type { Account } from '../ledger/ledger.ts'
import { type RunningMirror, type StartedMirror, startMirror } from '../server.ts'
import { readAll } from './fake-upstream.ts'

type Ledgers = Record<string, Account>

export interface MirrorUnderTest extends RunningMirror {
  ledger(): Promise<Ledgers>
  /** The account of `validation` once nothing is pending and at least `seen` exchanges were seen. */
  settled(validation: string, seen: number): Promise<Account>
  admin(path: string): Promise<{ status: number; text: string }>
}

export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'understudy-mirror-'))
  // workers whose supervisor the test killed may still write there
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }))
  return dir
}

export function mirrorConfig(section: Record<string, unknown>): MirrorConfig {
  const raw = { listen: '127.0.0.1:0', admin: '127.0.0.1:0', drain: '2s', ...section }
  const { value, problems } = decodeSection(raw, 'mirror', mirrorSchema, {})
  if (problems.length > 0) throw new Error(JSON.stringify(problems))
  return value as MirrorConfig
}

/** Starts a mirror with these settings; the rest is as in a config file. Stopped when the test ends. */
export async function mirrorUnderTest(
  section: Record<string, unknown>,
  clock = systemClock,
  logger = createLogger('mirror', 'silent'),
): Promise<StartedMirror & MirrorUnderTest> {
  // without a comparator nothing is spooled
  const spool = section.comparator === undefined ? {} : { dir: tempDir() }
  const config = mirrorConfig({ spool, ...section })
  const mirror = await startMirror({ config, logger, clock })
  onTestFinished(() => mirror.stop())
  return withAdmin(mirror)
}

export function withAdmin<Mirror extends RunningMirror>(mirror: Mirror): Mirror & MirrorUnderTest {
  const admin = async (path: string) => {
    // on a machine that stalls, the mirror may end an idle connection just as it is used again
    const response = await fetch(mirror.adminUrl + path, { headers: { connection: 'close' } })
    return { status: response.status, text: await response.text() }
  }
  const ledger = async () => JSON.parse((await admin('/ledger')).text).validations as Ledgers
  const settled = (validation: string, seen: number) =>
    waitFor(`${seen} exchanges of ${validation} to end`, async () => {
      const account = (await ledger())[validation]!
      return account.seen >= seen && account.pending === 0 ? account : undefined
    })
  return Object.assign(Object.create(mirror), {
    url: mirror.url,
    adminUrl: mirror.adminUrl,
    stop: () => mirror.stop(),
    admin,
    ledger,
    settled,
  })
}

export const route = (...candidates: Record<string, unknown>[]) => [{ path: '/p', candidates }]

/** Settings with one route `/p`, whose candidate is the primary itself unless `candidate` says otherwise. */
export const comparing = (
  primary: { url: string },
  comparator: { url: string },
  candidate: Record<string, unknown> = {},
) => ({
  primary: primary.url,
  comparator: { url: comparator.url, token: 't' },
  routes: route({ validation: 'v', url: primary.url, ...candidate }),
  spool: { dir: tempDir() },
})

export const skippedOf = (account: Account) => Object.values(account.skipped).reduce((sum, count) => sum + count, 0)

const agent = new Agent({ keepAlive: false })

/** One request with Node's own client. */
export function send(
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: options.method ?? 'POST', headers: options.headers, agent })
    outgoing.on('error', reject)
    outgoing.on('response', (response) => {
      readAll(response).then(
        (body) => resolve({ status: response.statusCode!, headers: response.headers, body }),
        reject,
      )
    })
    outgoing.end(options.body)
  })
}

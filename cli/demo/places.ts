import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { CliFailure } from '../failure.ts'

/** The ports, data and tokens of one demo. */
export interface Places {
  comparatorUrl: string
  mirrorUrl: string
  mirrorAdminUrl: string
  dataDir: string
  tokens: { ingest: string; approver: string }
  /** Environment variables that the config files in deploy/demo/config read. */
  environment: Record<string, string>
  ports: number[]
  /** Removes temporary data. */
  clear: () => void
}

/** Throws a `CliFailure` if `data` cannot be a folder to write in. */
export function findPlaces(portBase: number, data: string | undefined, exit: boolean): Places {
  const temporary = exit && data === undefined
  const dataDir = temporary ? mkdtempSync(join(tmpdir(), 'understudy-demo-')) : resolve(data ?? 'data/demo')
  const tokens = tokensIn(dataDir)
  const [comparator, mirror, admin, primary, candidates, bad] = [0, 10, 11, 20, 21, 22].map((above) => portBase + above)
  const local = (port: number | undefined) => `http://127.0.0.1:${port}`
  return {
    comparatorUrl: local(comparator),
    mirrorUrl: local(mirror),
    mirrorAdminUrl: local(admin),
    dataDir,
    tokens,
    environment: {
      COMPARATOR_PORT: String(comparator),
      MIRROR_PORT: String(mirror),
      MIRROR_ADMIN_PORT: String(admin),
      PRIMARY_PORT: String(primary),
      CANDIDATES_PORT: String(candidates),
      BAD_CANDIDATE_PORT: String(bad),
      DATA_DIR: dataDir,
      UNDERSTUDY_INGEST_TOKEN: tokens.ingest,
      INGEST_SHA256: sha256(tokens.ingest),
      APPROVER_SHA256: sha256(tokens.approver),
    },
    ports: [comparator!, mirror!, admin!, primary!, candidates!, bad!],
    clear: () => {
      if (temporary) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function tokensIn(dataDir: string): Places['tokens'] {
  try {
    mkdirSync(dataDir, { recursive: true })
    return keptTokens(join(dataDir, 'tokens.json'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CliFailure(`${dataDir} cannot be used (${code}); expected a writable folder`)
  }
}

/**
 * Keeps the same tokens across starts, so that an open page stays signed in. They are random, and readable only by
 * their owner.
 */
function keptTokens(file: string): Places['tokens'] {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    // there are none yet, or a full disk has cut them short
    const tokens = { ingest: newToken(), approver: newToken() }
    writeFileSync(file, `${JSON.stringify(tokens)}\n`, { mode: 0o600 })
    return tokens
  }
}

const newToken = () => randomBytes(24).toString('base64url')
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

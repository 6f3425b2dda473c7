/** For tests: a real server with real instances on a free port. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { decodeSection } from '../../runtime/config/load-config.ts'
import { ConfigError } from '../../runtime/config/problem.ts'
import { createLogger } from '../../runtime/logger.ts'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { type CandidateServerConfig, candidateServerSchema } from '../config.ts'
import { type CandidateServer, type CandidateServerOptions, startCandidateServer } from '../server.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
export const testModel = (name: string) => here(`../testdata/${name}.onnx`)
export const demoModel = (name: string) => here(`../../deploy/demo/models/${name}.onnx`)

/** The demo's held-out inputs. */
export const demoRows = <Row>(name: string): Row[] =>
  readFileSync(here(`../../deploy/demo/data/${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)

export function testConfig(section: Record<string, unknown>): CandidateServerConfig {
  const { value, problems } = decodeSection(
    { listen: '127.0.0.1:0', cpu: { instances: 1, threads: 1 }, ...section },
    'candidateServer',
    candidateServerSchema,
    {},
  )
  if (problems.length > 0) throw new ConfigError('test', problems)
  return value as CandidateServerConfig
}

export const startTestServer = (
  section: Record<string, unknown>,
  options: Partial<CandidateServerOptions> = {},
): Promise<CandidateServer> =>
  startCandidateServer({ config: testConfig(section), logger: createLogger('test', 'silent'), ...options })

/** Starts the service through the command line. */
export async function spawnServer(
  section: string,
  env: NodeJS.ProcessEnv = process.env,
  /** Called when its models begin to load. */
  loading?: (child: ChildProcess, config: string) => void,
): Promise<{ child: ChildProcess; url: string; config: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-service-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const config = join(folder, 'config.yaml')
  writeFileSync(config, section)
  const main = here('../main.ts')
  const program = `const { runCandidateServer } = await import(process.argv[1]); await runCandidateServer(process.argv[2])`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, main, config], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stderr! })
  for await (const line of lines) {
    const { msg, url } = JSON.parse(line)
    if (msg.startsWith('CPU plan')) loading?.(child, config)
    if (msg === 'the candidate server is ready') {
      lines.close()
      child.stderr!.resume()
      return { child, url, config }
    }
  }
  throw new Error('the server ended before it was ready')
}

/** Suspends a process, so that messages to it wait. Call the returned function to resume it. */
export function hold(pid: number): () => void {
  process.kill(pid, 'SIGSTOP')
  const release = () => {
    try {
      process.kill(pid, 'SIGCONT')
    } catch {
      // killed meanwhile
    }
  }
  onTestFinished(release)
  return release
}

/** Resolves once the server no longer listens. */
export const untilRefused = (url: string) =>
  waitFor(
    `${url} to refuse connections`,
    () =>
      call(`${url}/healthz`).then(
        () => undefined,
        ({ cause }) => cause?.code,
      ),
    (code) => code === 'ECONNREFUSED',
  )

// biome-ignore lint/suspicious/noExplicitAny: tests assert the shape of what they get
type Anything = any

export interface Answer {
  status: number
  headers: Headers
  body: Anything
}

export async function call(url: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const isBytes = body instanceof Uint8Array || typeof body === 'string' || body instanceof FormData
  const response = await fetch(
    url,
    body === undefined
      ? { headers }
      : {
          method: 'POST',
          headers: isBytes ? headers : { 'content-type': 'application/json', ...headers },
          body: isBytes ? (body as string) : JSON.stringify(body),
        },
  )
  const raw = Buffer.from(await response.arrayBuffer())
  const isJson = response.headers.get('content-type')?.includes('json')
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(String(raw)) : raw }
}

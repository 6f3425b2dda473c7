import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/services.ts'

const directory = temporaryDirectory()
afterAll(directory.remove)

const pathOf = (tool: string) => spawnSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).stdout.trim()

/** Runs a copy of the script where it finds only the tools that it needs, and what hashes. */
function run(name: string, hashers: Record<string, string>) {
  const deploy = join(directory.path, name)
  const tools = join(deploy, 'tools')
  mkdirSync(tools, { recursive: true })
  for (const tool of ['sh', 'cat', 'dirname', 'head', 'cut']) symlinkSync(pathOf(tool), join(tools, tool))
  for (const [hasher, script] of Object.entries(hashers)) writeFileSync(join(tools, hasher), script, { mode: 0o755 })
  const script = join(deploy, 'new-secrets.sh')
  copyFileSync(join(import.meta.dirname, '../../deploy/new-secrets.sh'), script)
  const runOnce = () => spawnSync(script, { encoding: 'utf8', env: { PATH: tools } })
  const { status, stdout, stderr } = runOnce()
  return { status, stdout, stderr, file: join(deploy, '.env'), runOnce }
}

const hash = `exec ${pathOf('sha256sum')}`

describe('new-secrets.sh', () => {
  test.each([
    ['sha256sum', `#!/bin/sh\n${hash}`],
    ['shasum', `#!/bin/sh\n[ "$*" = "-a 256" ] && ${hash}`],
  ])('makes tokens and their digests with %s', (hasher, script) => {
    const { status, stdout, file } = run(hasher, { [hasher]: script })
    expect(status).toBe(0)
    const secrets = Object.fromEntries(
      readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split('=') as [string, string]),
    )
    const shown = /note it down: ([0-9a-f]{64})\n$/.exec(stdout)![1]!
    const digest = (token: string) => createHash('sha256').update(token).digest('hex')
    expect(secrets.UNDERSTUDY_APPROVER_SHA256).toBe(digest(shown))
    expect(secrets.UNDERSTUDY_INGEST_SHA256).toBe(digest(secrets.UNDERSTUDY_INGEST_TOKEN!))
    expect(new Set([shown, ...Object.values(secrets)]).size).toBe(5)
    expect(Object.values(secrets).filter((secret) => !/^[0-9a-f]{64}$/.test(secret))).toEqual([])
  })

  test('leaves secrets that exist, and says how to change one', () => {
    const { file, runOnce } = run('twice', { sha256sum: `#!/bin/sh\n${hash}` })
    const before = readFileSync(file, 'utf8')
    const { status, stdout, stderr } = runOnce()
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    const [, page, section] = /(docs\/\S+\.md) says how to change a token \((.*)\)\n$/.exec(stderr)!
    expect(readFileSync(join(import.meta.dirname, '../..', page!), 'utf8')).toContain(`## ${section}\n`)
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  test('writes no empty secrets where nothing can hash', () => {
    const { status, stderr, file } = run('neither', {})
    expect({ status, stderr }).toEqual({ status: 1, stderr: 'expected sha256sum or shasum on the PATH\n' })
    expect(existsSync(file)).toBe(false)
  })
})

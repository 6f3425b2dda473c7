import { spawnSync } from 'node:child_process'
import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const module = new URL('./logger.ts', import.meta.url).href
const program = `
  const { createLogger } = await import(${JSON.stringify(module)})
  const logger = createLogger('test')
  for (const level of ['fatal', 'error', 'warn', 'info', 'debug', 'trace']) logger.child({ a: 1 })[level]('<x>')
`

/** The lines of a process that logs to a file, in an environment that calls some stream the journal. */
function linesLogged(journal: (file: { dev: number; ino: number }) => string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = openSync(join(folder, 'log'), 'w+')
  const JOURNAL_STREAM = journal(fstatSync(file))
  spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'ignore', file],
    env: { ...process.env, LOG_LEVEL: 'trace', JOURNAL_STREAM },
  })
  closeSync(file)
  return readFileSync(join(folder, 'log'), 'utf8').trim().split('\n')
}

test('in the journal every line has its priority', () => {
  const lines = linesLogged(({ dev, ino }) => `${dev}:${ino}`)
  expect(lines.map((line) => /^(<\d>)\{"level":"(\w+)".*\}$/.exec(line)?.slice(1).join(' '))).toEqual([
    '<2> fatal',
    '<3> error',
    '<4> warn',
    '<6> info',
    '<7> debug',
    '<7> trace',
  ])
})

test('where standard error was led elsewhere, lines are plain JSON', () => {
  const lines = linesLogged(({ dev, ino }) => `${dev}:${ino + 1}`)
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(Array(6).fill('<x>'))
})

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const command = join(import.meta.dirname, 'understudy.ts')

/** Prints the packages that a process loaded, one per line, on standard error. */
const telling = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  const packages = new Set()
  registerHooks({
    load(url, context, next) {
      const [, name] = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? []
      if (name) packages.add(name)
      return next(url, context)
    },
  })
  process.on('exit', () => process.stderr.write([...packages].join('\\n')))
`)}`

test.for(['--help', 'tune --help', 'audit verify --help'])(
  'understudy %s loads only what it prints, and none of the services',
  async (line) => {
    const args = ['--import', telling, command, ...line.split(' ')]
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args)
    expect(stdout).toContain('Usage: understudy')
    expect(stderr.split('\n')).toEqual(['commander'])
  },
)

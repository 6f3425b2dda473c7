import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ours = join(import.meta.dirname, '../node_modules/.cache/node')
const compileCache = join(import.meta.dirname, 'compile-cache.ts')
const printDirectory = `import('node:module').then(({ getCompileCacheDir }) => console.log(getCompileCacheDir()))`
const printItsAndAChilds = `
  import { execFileSync } from 'node:child_process'
  await ${printDirectory}
  process.stdout.write(execFileSync(process.execPath, ['-e', ${JSON.stringify(printDirectory)}]))`

function directories(named: Record<string, string>): string[] {
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  const run = ['--import', compileCache, '--input-type=module', '-e', printItsAndAChilds]
  const printed = execFileSync(process.execPath, run, { encoding: 'utf8', env: { ...env, ...named } })
  return printed.trim().split('\n')
}

test.each([
  ['not set', {}],
  ['empty', { NODE_COMPILE_CACHE: '' }],
])(
  'a service’s compiled code is cached beside the packages if the environment is %s, also for its child processes',
  (_, env) => {
    const [its, childs] = directories(env)
    expect(its).toContain(ours)
    expect(childs).toBe(its)
  },
)

test('if the environment disables the cache, nothing is written', () => {
  expect(directories({ NODE_DISABLE_COMPILE_CACHE: '1' })).toEqual(['undefined', 'undefined'])
})

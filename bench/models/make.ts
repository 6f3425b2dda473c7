import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

/**
 * `node bench/models/make.ts [--cache FOLDER]`: creates a Python environment and all models of the benches, about 2 GB.
 * The benches do the same if it is missing. The folder is that option, UNDERSTUDY_BENCH_CACHE, or one in the system's
 * temporary folder.
 */
export interface MadeModels {
  /** Path of the environment's Python. */
  python: string
  folder: string
}

const here = import.meta.dirname
const sources = ['requirements.txt', 'networks.py', 'make_models.py']

const defaultCache = () => process.env.UNDERSTUDY_BENCH_CACHE ?? join(tmpdir(), 'understudy-bench-models')

/**
 * Does nothing if everything is there and made from the current sources. Throws if Python or a package is not
 * available.
 */
export function makeModels(progress: (line: string) => void, cache = defaultCache()): MadeModels {
  const environment = join(cache, 'venv')
  const made: MadeModels = { python: join(environment, 'bin/python'), folder: join(cache, 'onnx') }
  const mark = join(cache, 'made-from')
  const digest = digestOfSources()
  if (existsSync(mark) && readFileSync(mark, 'utf8') === digest) return made

  mkdirSync(cache, { recursive: true })
  const python = process.env.PYTHON ?? 'python3'
  progress(`making the models in ${cache}: a Python environment, then the networks; some minutes, once`)
  run(python, ['-m', 'venv', environment], 'Python 3.10 or newer with venv is needed (Debian: python3-venv)')
  const requirements = join(here, 'requirements.txt')
  run(made.python, ['-m', 'pip', 'install', '--quiet', '-r', requirements], 'the packages could not be installed')
  run(made.python, ['-B', join(here, 'make_models.py'), made.folder], 'the models could not be made')
  writeFileSync(mark, digest)
  return made
}

function digestOfSources(): string {
  const hash = createHash('sha256')
  for (const source of sources) hash.update(readFileSync(join(here, source)))
  return hash.digest('hex')
}

function run(command: string, args: string[], expectation: string): void {
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 26 })
  if (status === 0) return
  const why = error?.message ?? stderr.trimEnd().split('\n').slice(-10).join('\n')
  throw new Error(`${expectation}: ${command} ${args.join(' ')}\n${why}`)
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { cache: { type: 'string' } } })
  const { folder } = makeModels((line) => process.stderr.write(`${line}\n`), values.cache)
  process.stdout.write(`${folder}\n`)
}

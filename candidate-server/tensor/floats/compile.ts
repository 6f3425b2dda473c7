/** `node candidate-server/tensor/floats/compile.ts`: makes `floats.wasm` of `assembly.ts`. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// not a dependency: it is 102 MB with its optimiser and needed only to change assembly.ts
const compiler = 'assemblyscript@0.28.20'
const options = ['-O3', '--runtime', 'stub', '--noAssert', '--outFile', 'floats.wasm']

const here = import.meta.dirname
execFileSync('npx', ['--yes', '--package', compiler, '--', 'asc', 'assembly.ts', ...options], {
  cwd: here,
  stdio: 'inherit',
})
appendFileSync(join(here, 'floats.wasm'), customSection('source sha256', sha256Of(join(here, 'assembly.ts'))))

/**
 * A custom section (WebAssembly 1.0, 5.5.3). Name and content must be under 64 bytes each, so that every length fits
 * one byte.
 */
function customSection(name: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from([name.length]), Buffer.from(name), content])
  return Buffer.concat([Buffer.from([0, body.length]), body])
}

function sha256Of(file: string): Buffer {
  return createHash('sha256').update(readFileSync(file)).digest()
}

import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { findLauncher } from './launcher.ts'

/** A machine with these commands; each is a script that fails where it is told to. */
function onMachineWith(commands: Record<string, string>): void {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-launchers-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, script] of Object.entries(commands)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  vi.stubEnv('PATH', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
}
const works = 'exit 0'
const fails = 'exit 1'
/** Fails like a container without CAP_SYS_NICE. */
const bindsNoMemory = 'case " $* " in *" -m "*) exit 1 ;; esac'
const place = { cpus: [2, 3, 4], memoryNode: 1 }

test('numactl with the memory node comes first', async () => {
  onMachineWith({ numactl: works, taskset: works })
  expect(await findLauncher(place)).toEqual({
    kind: 'numactl',
    command: 'numactl',
    args: ['-a', '-C', '2-4', '-m', '1'],
    memoryBound: true,
  })
})

test('numactl pins only CPUs if it may not bind memory, or there is no node to bind to', async () => {
  const unbound = { kind: 'numactl', command: 'numactl', args: ['-a', '-C', '2-4'], memoryBound: false }
  onMachineWith({ numactl: bindsNoMemory, taskset: works })
  expect(await findLauncher(place)).toEqual(unbound)
  onMachineWith({ numactl: works })
  expect(await findLauncher({ ...place, memoryNode: null })).toEqual(unbound)
})

test('numactl may answer late, as it does on a machine that is very busy', async () => {
  onMachineWith({ numactl: '/bin/sleep 6', taskset: works })
  expect(await findLauncher(place)).toMatchObject({ kind: 'numactl', memoryBound: true })
})

test.each([
  ['is not there', {}],
  ['does not work', { numactl: fails }],
])('taskset is used where numactl %s, and without either nothing is pinned', async (_, commands) => {
  onMachineWith({ ...commands, taskset: works })
  expect(await findLauncher(place)).toEqual({ kind: 'taskset', command: 'taskset', args: ['-c', '2-4'] })
  onMachineWith(commands)
  expect(await findLauncher(place)).toEqual({ kind: 'unpinned' })
})

test('a process that has no file descriptors left is not told that its machine cannot pin', async () => {
  const script = `
    import { openSync } from 'node:fs'
    import { findLauncher } from '${join(import.meta.dirname, 'launcher.ts')}'
    try { for (;;) openSync('/dev/null') } catch {}
    findLauncher({ cpus: [0], memoryNode: null }).then(({ kind }) => console.log(kind), ({ message }) => console.log(message))
  `
  const limited = ['-c', 'ulimit -n 200; exec "$0" --input-type=module -e "$1"', process.execPath, script]
  const { stdout } = await promisify(execFile)('bash', limited)
  expect(stdout).toBe('numactl could not be started (EMFILE); raise the limit on open files (ulimit -n)\n')
})

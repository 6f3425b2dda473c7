import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readTopology } from '../../candidate-server/cpu/topology.ts'
import { busyMs, cpuTimeMs, throttledPeriods } from './cpu-time.ts'

describe('CPU times', () => {
  test('sum the throttled periods of the cgroup and all above it, in both versions', () => {
    const root = mkdtempSync(join(tmpdir(), 'understudy-cgroup-'))
    onTestFinished(() => rmSync(root, { recursive: true }))
    const write = (file: string, text: string) => {
      mkdirSync(join(root, file, '..'), { recursive: true })
      writeFileSync(join(root, file), text)
    }
    expect(throttledPeriods(root)).toBeUndefined()
    write('proc/self/cgroup', '0::/pod/app\n')
    write('sys/fs/cgroup/cpu.stat', 'usage_usec 5\n')
    write('sys/fs/cgroup/pod/cpu.stat', 'nr_periods 9\nnr_throttled 4\n')
    write('sys/fs/cgroup/pod/app/cpu.stat', 'nr_periods 9\nnr_throttled 2\nthrottled_usec 77\n')
    expect(throttledPeriods(root)).toBe(6)
    write('proc/self/cgroup', '4:memory:/x\n3:cpu,cpuacct:/old\n0::/\n')
    write('sys/fs/cgroup/cpu,cpuacct/old/cpu.stat', 'nr_throttled 11\n')
    expect(throttledPeriods(root)).toBe(11)
    // as systemd mounts it: one hierarchy under two names
    symlinkSync('cpu,cpuacct', join(root, 'sys/fs/cgroup/cpu'))
    expect(throttledPeriods(root)).toBe(11)
  })

  test.runIf(process.platform === 'linux')('report the CPU time of this very process', () => {
    const before = cpuTimeMs([process.pid])!
    const all = busyMs(readTopology().allowedCpus)!
    const start = process.cpuUsage()
    while (process.cpuUsage(start).user < 100_000);
    expect(cpuTimeMs([process.pid])! - before).toBeGreaterThan(40)
    expect(busyMs(readTopology().allowedCpus)! - all).toBeGreaterThan(40)
    expect(cpuTimeMs([2 ** 22 + 1])).toBe(0)
  })

  test.runIf(process.platform === 'linux')('credit a child’s time to its parent when it ends', () => {
    const before = cpuTimeMs([process.pid])!
    execFileSync(process.execPath, ['-e', 'while (process.cpuUsage().user < 200_000);'])
    expect(cpuTimeMs([process.pid])! - before).toBeGreaterThan(150)
  })
})

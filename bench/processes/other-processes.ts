import { readFileSync } from 'node:fs'
import { percent } from '../report/table.ts'
import { cpuSeconds, ticksPerSecond } from './cpu-time.ts'

/** Above this share of the machine's CPU, other processes affect the measurements. */
export const othersShareMax = 0.03

export const isDisturbed = (othersShare: number | undefined) => (othersShare ?? 0) > othersShareMax

/** A note for the head of a section whose run was disturbed; otherwise undefined. */
export function preliminarySentence(othersShare: number | undefined): string | undefined {
  if (!isDisturbed(othersShare)) return undefined
  return `**Preliminary:** other processes took ${percent(othersShare!)} of the machine's CPU during this run; run it again on an idle machine.`
}

/**
 * Starts to watch how much of the machine's CPU goes to processes other than ours, or to other guests of the host. The
 * returned function gives the share since then; undefined if there is no /proc. Our children must stay alive until it
 * is called.
 */
export function watchOtherProcesses(): () => number | undefined {
  const before = read()
  return () => {
    const after = read()
    if (!before || !after) return undefined
    const others = after.used - before.used - (after.ours - before.ours)
    return Math.max(0, others / (after.total - before.total))
  }
}

function read(): { used: number; total: number; ours: number } | undefined {
  const ours = cpuSeconds(process.pid)
  if (ours === undefined) return undefined
  // proc(5), first line, in ticks: user nice system idle iowait irq softirq steal; interrupts belong to no process
  const ticks = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]!.trim().split(/\s+/).slice(1, 9).map(Number)
  const [user, nice, system, , , , , steal] = ticks
  const total = ticks.reduce((sum, tick) => sum + tick, 0) / ticksPerSecond
  return { used: (user! + nice! + system! + steal!) / ticksPerSecond, total, ours }
}

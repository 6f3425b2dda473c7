import { mean, sum } from 'simple-statistics'
import type { Rounds } from '../mirror-overhead/plan.ts'
import { cpuSeconds } from '../processes/cpu-time.ts'
import { watchOtherProcesses } from '../processes/other-processes.ts'
import { relativeRange, spreadOf } from '../report/spread.ts'
import type { RunningSide, ServingSide, Throughput } from './side.ts'

export interface Turns {
  /** By side, one round per turn. */
  rounds: Map<string, Throughput[]>
  /** Sides that could not be started, and why. */
  missing: Map<string, string>
  /** Sides whose rates did not reach the plan's `stableRange`. */
  unstable: string[]
  /** Share of the machine's CPU used by other processes during the rounds; undefined if unknown. */
  othersShare: number | undefined
}

export interface TurnsPlan extends Rounds {
  /** Per process, not counted. */
  warmUpMs: number
}

/**
 * Measures every side in turn, forwards and backwards, each in a fresh process with nothing else running, until all
 * rates are stable or the rounds are used up.
 */
export async function takeTurns(
  sides: readonly ServingSide[],
  plan: TurnsPlan,
  progress: (line: string) => void,
): Promise<Turns> {
  const rounds = new Map<string, Throughput[]>()
  const missing = new Map<string, string>()
  const othersShares: number[] = []
  const isUnstable = (name: string) => relativeRange(spreadOf(ratesOf(rounds.get(name)!))) > plan.stableRange
  const unstable = () => [...rounds.keys()].filter(isUnstable)
  for (let turn = 0; turn < plan.max; turn++) {
    if (turn >= plan.min && unstable().length === 0) break
    for (const side of turn % 2 === 0 ? sides : sides.toReversed()) {
      if (missing.has(side.name)) continue
      const round = await takeTurn(side, plan)
      if (round.kind === 'missing') missing.set(side.name, round.why)
      else {
        rounds.set(side.name, [...(rounds.get(side.name) ?? []), round.measured])
        if (round.othersShare !== undefined) othersShares.push(round.othersShare)
      }
      progress(`turn ${turn + 1}: ${side.name} ${describe(round)}`)
    }
  }
  const othersShare = othersShares.length === 0 ? undefined : mean(othersShares)
  return { rounds, missing, unstable: unstable(), othersShare }
}

type Turn =
  | { kind: 'measured'; measured: Throughput; othersShare: number | undefined }
  | { kind: 'missing'; why: string }

/** Leaves out a side that cannot be started (an allocator that is not installed, a setting that the server refuses). */
async function takeTurn(side: ServingSide, { warmUpMs, durationMs }: TurnsPlan): Promise<Turn> {
  const running = await side.start().catch((error: Error) => error)
  if (running instanceof Error) return { kind: 'missing', why: reasonOf(running) }
  try {
    await running.measure(warmUpMs)
    const shareOfOthers = watchOtherProcesses()
    const cpuBefore = cpuOf(running)
    const measured = await running.measure(durationMs)
    const cpuMs = (1000 * (cpuOf(running) - cpuBefore)) / measured.rows
    const othersShare = shareOfOthers()
    return { kind: 'measured', measured: { ...measured, ...(Number.isFinite(cpuMs) && { cpuMs }) }, othersShare }
  } finally {
    await running.stop()
  }
}

/** In seconds; NaN if there is no /proc. */
const cpuOf = ({ pids }: RunningSide) => sum(pids.map((pid) => cpuSeconds(pid) ?? Number.NaN))

/** Our server's error message if the error contains it; otherwise the error holds the end of a log. */
const reasonOf = ({ message }: Error) => /^understudy: (.*)$/m.exec(message)?.[1] ?? message.split('\n')[0]!

function describe(turn: Turn): string {
  if (turn.kind === 'missing') return `left out: ${turn.why}`
  const { rowsPerSecond, errors, cpuMs, batchRows, inSession } = turn.measured
  const cpu = cpuMs === undefined ? '' : `, ${cpuMs.toFixed(2)} ms CPU a row`
  const work =
    batchRows === undefined ? '' : `, ${batchRows.toFixed(1)} rows a run, ${(inSession! * 100).toFixed(0)} % in session`
  return `${rowsPerSecond.toFixed(1)}/s${cpu}${work}, ${errors} errors`
}

export const ratesOf = (rounds: readonly Throughput[]) => rounds.map(({ rowsPerSecond }) => rowsPerSecond)

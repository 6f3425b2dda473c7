import { Command, InvalidArgumentError } from 'commander'
import { describePlan } from '../candidate-server/cpu/describe-plan.ts'
import { planCpus, planJson } from '../candidate-server/cpu/plan.ts'
import { PlanError } from '../candidate-server/cpu/plan-error.ts'
import { readTopology } from '../candidate-server/cpu/topology.ts'
import { CliFailure, exitCodes } from './failure.ts'

interface Options {
  sysroot?: string
  instances: number | 'auto'
  threads: number | 'auto'
  json?: true
}

export const planCommand = () =>
  new Command('plan')
    .description('Print which CPU cores the instances of a candidate server get, and why')
    .option('--sysroot <dir>', 'read DIR/sys and DIR/proc instead of this machine')
    .option('--instances <n>', 'how many instances', count, 'auto')
    .option('--threads <n>', 'how many threads each', count, 'auto')
    .option('--json', 'print the plan as JSON')
    .action(({ sysroot, instances, threads, json }: Options) => {
      try {
        const plan = planCpus(readTopology({ sysroot }), { instances, threads })
        process.stdout.write(`${json ? JSON.stringify(planJson(plan)) : describePlan(plan)}\n`)
      } catch (error) {
        if (error instanceof PlanError) throw new CliFailure(`${error.code}: ${error.message}`, exitCodes.usage)
        throw error
      }
    })

function count(text: string): number | 'auto' {
  if (text === 'auto') return text
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('expected auto or a whole number, 1 or more')
  return Number(text)
}

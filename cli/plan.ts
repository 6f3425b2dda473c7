import { Command, InvalidArgumentError } from 'commander'
import { candidateServerSchema } from '../candidate-server/config.ts'
import { describePlan } from '../candidate-server/cpu/describe-plan.ts'
import { planCpus, planJson } from '../candidate-server/cpu/plan.ts'
import { PlanError } from '../candidate-server/cpu/plan-error.ts'
import { readTopology } from '../candidate-server/cpu/topology.ts'
import { planConfig } from '../candidate-server/plan-config.ts'
import { loadSection } from '../runtime/config/load-config.ts'
import { CliFailure, exitCodes } from './failure.ts'

interface Options {
  config?: string
  sysroot?: string
  instances?: number | 'auto'
  threads?: number | 'auto'
  json?: true
}

export const planCommand = () =>
  new Command('plan')
    .description('Print which CPU cores the instances of a candidate server get, and why')
    .option('--config <file>', 'for the models of its section candidateServer:, and by its counts')
    .option('--sysroot <dir>', 'read DIR/sys and DIR/proc instead of this machine')
    .option('--instances <n>', 'how many instances (default: auto, or cpu.instances)', count)
    .option('--threads <n>', 'how many threads each (default: auto, or cpu.threads)', count)
    .option('--json', 'print the plan as JSON')
    .action((options: Options) => {
      const { plan, instances } = placedBy(options)
      process.stdout.write(
        `${options.json ? JSON.stringify({ ...planJson(plan), instances }) : describePlan(plan, instances)}\n`,
      )
    })

function placedBy({ config, sysroot, instances, threads }: Options) {
  const section = config === undefined ? undefined : loadSection(config, 'candidateServer', candidateServerSchema)
  try {
    const topology = readTopology({ sysroot })
    if (!section) {
      const plan = planCpus(topology, { instances: instances ?? 'auto', threads: threads ?? 'auto' })
      return { plan, instances: plan.instances }
    }
    const { cpu, models } = section
    const counts = { instances: instances ?? cpu.instances, threads: threads ?? cpu.threads }
    const placed = planConfig(topology, { cpu: { ...cpu, ...counts }, models })
    return {
      plan: placed.plan,
      instances: placed.instances
        .map(({ model, cpus, threads, memoryNode }) => ({ model, cpus, threads, memoryNode }))
        .sort((a, b) => a.cpus[0]! - b.cpus[0]!),
    }
  } catch (error) {
    if (error instanceof PlanError) throw new CliFailure(`${error.code}: ${error.message}`, exitCodes.usage)
    throw error
  }
}

function count(text: string): number | 'auto' {
  if (text === 'auto') return text
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('expected auto or a whole number, 1 or more')
  return Number(text)
}

import { Command, InvalidArgumentError } from 'commander'
import { describePlan } from '../candidate-server/cpu/describe-plan.ts'
import { planCpus, planJson } from '../candidate-server/cpu/plan.ts'
import { PlanError } from '../candidate-server/cpu/plan-error.ts'
import { readTopology, type Topology } from '../candidate-server/cpu/topology.ts'
import { CliFailure } from './failure.ts'
import { printJson } from './print-json.ts'

interface Options {
  config?: string
  sysroot?: string
  instances?: number | 'auto' | undefined
  threads?: number | 'auto' | undefined
  json?: true
}

export const planCommand = () =>
  new Command('plan')
    .description('Print which CPU cores each instance of a candidate server gets, and why')
    .option('--config <file>', 'YAML file with a section candidateServer:, for its models and counts')
    .option('--sysroot <dir>', 'read DIR/sys and DIR/proc instead of this machine')
    .option('--instances <n>', 'number of instances (default: auto, or cpu.instances)', count)
    .option('--threads <n>', 'threads of each instance (default: auto, or cpu.threads)', count)
    .option('--json', 'print the plan as JSON')
    .action(async (options: Options) => {
      const { plan, instances } = await placedBy(options)
      if (options.json) printJson({ ...planJson(plan), instances })
      else process.stdout.write(`${describePlan(plan, instances)}\n`)
    })

async function placedBy({ config, sysroot, instances, threads }: Options) {
  try {
    const topology = readTopology({ sysroot })
    if (config !== undefined) return await placedByConfig(config, topology, { instances, threads })
    const plan = planCpus(topology, { instances: instances ?? 'auto', threads: threads ?? 'auto' })
    return { plan, instances: plan.instances }
  } catch (error) {
    if (error instanceof PlanError) throw new CliFailure(`${error.code}: ${error.message}`)
    throw error
  }
}

async function placedByConfig(file: string, topology: Topology, asked: Pick<Options, 'instances' | 'threads'>) {
  const { loadSection } = await import('../runtime/config/load-config.ts')
  const { candidateServerSchema } = await import('../candidate-server/config.ts')
  const { planConfig } = await import('../candidate-server/fleet/plan-config.ts')
  const { cpu, models } = loadSection(file, 'candidateServer', candidateServerSchema)
  const counts = { instances: asked.instances ?? cpu.instances, threads: asked.threads ?? cpu.threads }
  const { plan, instances } = planConfig(topology, { cpu: { ...cpu, ...counts }, models })
  return {
    plan,
    instances: instances
      .map(({ model, cpus, threads, memoryNode }) => ({ model, cpus, threads, memoryNode }))
      .sort((a, b) => a.cpus[0]! - b.cpus[0]!),
  }
}

function count(text: string): number | 'auto' {
  if (text === 'auto') return text
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('expected auto or a whole number, 1 or more')
  return Number(text)
}

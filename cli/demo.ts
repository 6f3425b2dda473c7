import { Command, InvalidArgumentError } from 'commander'

export const demoCommand = () =>
  new Command('demo')
    .description('Run the whole product on this machine, with real models and real traffic')
    .option(
      '--exit',
      'run unattended to the end: approve the good candidate, see the bad one refused, print one JSON line',
    )
    .option(
      '--port-base <n>',
      'first port: comparator N, mirror N+10, its admin N+11, the others above',
      portBase,
      7070,
    )
    .option('--data <dir>', 'directory for the data (default: data/demo; with --exit a temporary directory)')
    .action(async (options: { exit?: true; portBase: number; data?: string }) => {
      const { runDemo } = await import('./demo/run.ts')
      process.exitCode = await runDemo(options)
    })

const portsAboveBase = 22

function portBase(text: string): number {
  const port = Number(text)
  if (!Number.isInteger(port) || port < 1 || port + portsAboveBase > 65535) {
    throw new InvalidArgumentError(`expected a port, 1 to ${65535 - portsAboveBase}`)
  }
  return port
}

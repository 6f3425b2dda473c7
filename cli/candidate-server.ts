import { Command } from 'commander'

export const candidateServerCommand = () =>
  new Command('candidate-server')
    .description('Run the candidate server: ONNX models on pinned CPU cores')
    .requiredOption('--config <file>', 'YAML file with a section candidateServer:')
    .action(async ({ config }: { config: string }) => {
      const { runCandidateServer } = await import('../candidate-server/main.ts')
      await runCandidateServer(config)
    })

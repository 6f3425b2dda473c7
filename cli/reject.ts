import { Command } from 'commander'
import { ApiClient, printPromotion, promotionUnderWay, type ServerOptions, withServerOptions } from './api-client.ts'

export const rejectCommand = () =>
  withServerOptions(new Command('reject'))
    .description('Refuse the promotion that is requested')
    .argument('<validation>')
    .requiredOption('--comment <text>', 'why; kept in the audit')
    .action(async (validation: string, options: ServerOptions & { comment: string; json?: true }) => {
      const client = new ApiClient(options)
      const { id } = await promotionUnderWay(client, validation)
      printPromotion(await client.act(id, 'reject', { comment: options.comment }), options.json)
    })

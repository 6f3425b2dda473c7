import { Command } from 'commander'
import { ApiClient, printPromotion, promotionUnderWay, type ServerOptions, withServerOptions } from './api-client.ts'

export const rollbackCommand = () =>
  withServerOptions(new Command('rollback'))
    .description('Move all live traffic back to the primary at once')
    .argument('<validation>')
    .requiredOption('--comment <text>', 'why; kept in the audit')
    .action(async (validation: string, options: ServerOptions & { comment: string; json?: true }) => {
      const client = new ApiClient(options)
      const { id } = await promotionUnderWay(client, validation)
      printPromotion(await client.act(id, 'rollback', { comment: options.comment }), options.json)
    })

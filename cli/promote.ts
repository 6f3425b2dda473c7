import { Command } from 'commander'
import { ApiClient, type ServerOptions, withServerOptions } from './api-client.ts'
import { printableLine } from './printable.ts'
import { printPromotion } from './promotion-command.ts'

interface Options extends ServerOptions {
  comment: string
  gate?: string
  override?: true
  json?: true
}

/** Requests a promotion, or approves the one that has been requested. */
export const promoteCommand = () =>
  withServerOptions(new Command('promote'))
    .description('Request a promotion on the present gate, or approve the requested one')
    .argument('<validation>')
    .requiredOption('--comment <text>', 'reason, kept with the promotion')
    .option(
      '--gate <id>',
      "the gate evaluation that you saw (default: the present one; for an approval, the request's)",
    )
    .option('--override', 'request a promotion against the gate (needs the role admin), or approve such a request')
    .action(async (validation: string, options: Options) => {
      const client = new ApiClient(options)
      const { promotion, differenceToClients } = await client.validation(validation)
      if (differenceToClients) process.stderr.write(`${printableLine(differenceToClients)}\n`)
      const { comment, override = false } = options
      if (promotion?.state === 'requested') {
        const seen = options.gate === undefined ? {} : { gateId: options.gate }
        printPromotion(await client.act(promotion.id, 'approve', { comment, override, ...seen }), options.json)
        return
      }
      const gateId = options.gate ?? (await client.gate(validation)).id
      printPromotion(await client.promote(validation, { gateId, comment, override }), options.json)
    })

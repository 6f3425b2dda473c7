import { Command } from 'commander'
import type { PromotionView } from '../vocabulary/api/promotion.ts'
import { ApiClient, type ServerOptions, withServerOptions } from './api-client.ts'
import { CliFailure } from './failure.ts'
import { printJson } from './print-json.ts'

interface Options extends ServerOptions {
  comment: string
  json?: true
}

/** A command that ends a validation's promotion. */
export const endingCommand = (action: 'reject' | 'rollback', description: string) =>
  withServerOptions(new Command(action))
    .description(description)
    .argument('<validation>')
    .requiredOption('--comment <text>', 'reason, kept in the audit')
    .action(async (validation: string, { comment, json, ...server }: Options) => {
      const client = new ApiClient(server)
      const { promotion } = await client.validation(validation)
      if (!promotion) throw new CliFailure(`${validation} has no promotion`)
      printPromotion(await client.act(promotion.id, action, { comment }), json)
    })

export function printPromotion(promotion: PromotionView, json: boolean | undefined): void {
  if (json) printJson(promotion)
  else {
    const approvals = `${promotion.approvals.length} of ${promotion.approvalsNeeded} approvals`
    process.stdout.write(`${promotion.validation}: ${promotion.state}, ${approvals}, ${promotion.livePercent} % live\n`)
  }
}

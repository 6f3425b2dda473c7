import { Command } from 'commander'
import { serverUrl } from './api-client.ts'
import type { VerifyOptions } from './audit/verify.ts'

const verifyCommand = () =>
  new Command('verify')
    .description('Check that no entry of the audit was altered, taken out or put in; exit 0 if so, 1 if not, 2 error')
    .option('--config <file>', 'YAML file with a section comparator:, to read the database itself')
    .option('--server <url>', "or the comparator's address", serverUrl)
    .option('--token <token>', 'bearer token for --server (default: $UNDERSTUDY_TOKEN)')
    .option('--expect <hash>', 'a hash that was noted earlier, from a dossier or a webhook, and must be in the chain')
    .option('--json', 'print JSON')
    .action(async (options: VerifyOptions) => {
      const { verifyAudit } = await import('./audit/verify.ts')
      await verifyAudit(options)
    })

export const auditCommand = () =>
  new Command('audit').description('The record of who did what').addCommand(verifyCommand())

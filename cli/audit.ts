import { Command } from 'commander'
import { serverUrl } from './api-client.ts'
import type { VerifyOptions } from './audit/verify.ts'
import { sha256 } from './option-values.ts'

const verifyCommand = () =>
  new Command('verify')
    .description('Verify that no audit entry was altered, removed or inserted; exit 0 if so, 1 if not, 2 error')
    .option('--config <file>', 'YAML file with a section comparator:, to read the database directly')
    .option('--server <url>', "the comparator's address, instead of --config", serverUrl)
    .option('--token <token>', 'bearer token for --server (default: $UNDERSTUDY_TOKEN)')
    .option('--expect <hash>', 'a hash noted earlier, from a dossier or a webhook, that the chain must contain', sha256)
    .option('--json', 'print JSON')
    .action(async (options: VerifyOptions) => {
      const { verifyAudit } = await import('./audit/verify.ts')
      await verifyAudit(options)
    })

export const auditCommand = () =>
  new Command('audit').description('Work with the audit, the record of who did what').addCommand(verifyCommand())

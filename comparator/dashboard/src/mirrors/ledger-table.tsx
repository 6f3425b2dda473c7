import type { MirrorAccount } from '../../../../vocabulary/mirrors.ts'
import { formatColumnShare, formatCount } from '../format/number.ts'
import { reasonWords } from '../format/words.ts'
import { VisibleText } from '../parts/visible-text.tsx'

/** What happened to every exchange since the mirror started: seen = delivered + pending + skipped. */
export function LedgerTable({ ledger, mirror }: { ledger: MirrorAccount[]; mirror: string }) {
  return (
    <table class="ledger stacks">
      <caption class="visually-hidden">
        Exchanges that <bdi>{mirror}</bdi> saw since it started
      </caption>
      <thead>
        <tr>
          <th scope="col">Validation</th>
          <th scope="col" class="numeric">
            Seen
          </th>
          <th scope="col" class="numeric">
            Delivered
          </th>
          <th scope="col" class="numeric">
            Pending
          </th>
          <th scope="col" class="numeric">
            Skipped
          </th>
          <th scope="col" class="numeric">
            Skipped, of seen
          </th>
          <th scope="col" class="ledger-why">
            Why
          </th>
        </tr>
      </thead>
      <tbody>
        {ledger.map((account) => (
          <LedgerRow key={account.validation} account={account} />
        ))}
      </tbody>
    </table>
  )
}

function LedgerRow({ account: { validation, seen, delivered, pending, skipped } }: { account: MirrorAccount }) {
  const reasons = Object.entries(skipped)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
  const all = reasons.reduce((sum, [, count]) => sum + count, 0)
  return (
    <tr>
      <th scope="row">{validation}</th>
      <td class="numeric" data-label="Seen">
        {formatCount(seen)}
      </td>
      <td class="numeric" data-label="Delivered">
        {formatCount(delivered)}
      </td>
      <td class="numeric" data-label="Pending">
        {formatCount(pending)}
      </td>
      <td class="numeric" data-label="Skipped">
        {formatCount(all)}
      </td>
      <td class="numeric ledger-share" data-label="Skipped, of seen">
        {seen === 0 ? '–' : formatColumnShare(all / seen)}
      </td>
      <td class="ledger-why" data-label="Why">
        {reasons.length === 0 ? (
          <span class="no-data">–</span>
        ) : (
          <VisibleText
            text={reasons.map(([reason, count]) => `${reasonWords(reason)} (${formatCount(count)})`).join(', ')}
            inline
          />
        )}
      </td>
    </tr>
  )
}

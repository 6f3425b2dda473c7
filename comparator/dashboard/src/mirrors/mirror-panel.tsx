import type { ComponentChildren } from 'preact'
import type { MirrorView } from '../../../../vocabulary/mirrors.ts'
import { formatBytes } from '../format/bytes.ts'
import { formatCount } from '../format/number.ts'
import { Age } from '../parts/age.tsx'
import { Anchor } from '../parts/anchor.tsx'
import { Moment } from '../parts/moment.tsx'
import { LedgerTable } from './ledger-table.tsx'
import { MirrorState } from './mirror-state.tsx'
import { behindFromMs, deliveryWords } from './mirrors-summary.ts'

export function MirrorPanel({ mirror }: { mirror: MirrorView }) {
  const { name, state, workers, startedAt, lastReportAt, lagMs, spooledBytes, pending, ledger } = mirror
  // the last report of a stopped mirror is not current and raises no warnings
  const isNow = state === 'reporting'
  return (
    <article class={`mirror mirror-${state}`} id={`mirror-${name}`} tabIndex={-1} data-testid={`mirror-${name}`}>
      <header class="mirror-head">
        <MirrorState state={state} />
        <h3>{name}</h3>
        <Anchor to={`mirror-${name}`} name={name} />
        {workers > 1 && <span class="tag">{workers} workers</span>}
      </header>
      {!isNow && <p class="cell-note">What follows is from its last report.</p>}
      <dl class={isNow ? 'mirror-facts' : 'mirror-facts mirror-facts-old'}>
        <Fact title={isNow ? 'Last report' : state === 'silent' ? 'Last heard from' : 'Stopped'}>
          <Age at={lastReportAt} />
        </Fact>
        <Fact title="Deliveries" warns={isNow && lagMs >= behindFromMs}>
          {deliveryWords(lagMs)}
        </Fact>
        <Fact title="Waiting on disk" warns={isNow && spooledBytes > 0}>
          {formatBytes(spooledBytes)}
        </Fact>
        <Fact title="Exchanges pending">{formatCount(pending)}</Fact>
        <Fact title="Started">
          <Moment at={startedAt} />
        </Fact>
      </dl>
      {ledger.length === 0 ? (
        <p class="no-data">It mirrors for no validation; it only forwards.</p>
      ) : state === 'stopped' ? (
        <details>
          <summary>Its ledger at the end</summary>
          <LedgerTable ledger={ledger} mirror={name} />
        </details>
      ) : (
        <div class={isNow ? undefined : 'ledger-old'}>
          <LedgerTable ledger={ledger} mirror={name} />
        </div>
      )}
    </article>
  )
}

interface FactProps {
  title: string
  warns?: boolean
  children: ComponentChildren
}

function Fact({ title, warns = false, children }: FactProps) {
  return (
    <div class={warns ? 'fact-warns' : undefined}>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  )
}

import type { MirrorView } from '../../../../vocabulary/mirrors.ts'
import { formatBytes } from '../format/bytes.ts'
import { formatCount } from '../format/number.ts'
import { formatSpan } from '../format/time.ts'
import { Age } from '../parts/age.tsx'
import { Moment } from '../parts/moment.tsx'
import { LedgerTable } from './ledger-table.tsx'
import { MirrorState } from './mirror-state.tsx'

const behindFromMs = 2000

export function MirrorPanel({ mirror }: { mirror: MirrorView }) {
  const { name, state, workers, startedAt, lastReportAt, lagMs, spooledBytes, pending, ledger } = mirror
  return (
    <article class={`mirror mirror-${state}`} data-testid={`mirror-${name}`}>
      <header class="mirror-head">
        <MirrorState state={state} />
        <h3>{name}</h3>
        {workers > 1 && <span class="tag">{workers} workers</span>}
      </header>
      <dl class="mirror-facts">
        <Fact title={state === 'reporting' ? 'Last report' : state === 'silent' ? 'Last heard of' : 'Stopped'}>
          <Age at={lastReportAt} />
        </Fact>
        <Fact title="Deliveries" warns={lagMs >= behindFromMs}>
          {lagMs < behindFromMs ? 'up to date' : `${formatSpan(lagMs)} behind`}
        </Fact>
        <Fact title="Waiting on disk" warns={spooledBytes > 0}>
          {formatBytes(spooledBytes)}
        </Fact>
        <Fact title="Exchanges pending">{formatCount(pending)}</Fact>
        <Fact title="Running since">
          <Moment at={startedAt} />
        </Fact>
      </dl>
      {ledger.length === 0 ? (
        <p class="no-data">It mirrors for no validation: it only forwards.</p>
      ) : state === 'stopped' ? (
        <details>
          <summary>Its ledger at the end</summary>
          <LedgerTable ledger={ledger} mirror={name} />
        </details>
      ) : (
        <LedgerTable ledger={ledger} mirror={name} />
      )}
    </article>
  )
}

function Fact({ title, warns, children }: { title: string; warns?: boolean; children: preact.ComponentChildren }) {
  return (
    <div class={warns ? 'fact-warns' : undefined}>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  )
}

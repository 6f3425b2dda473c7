import type { FunnelView } from '../../../../vocabulary/api/funnel.ts'
import type { Polled } from '../api/use-polled.ts'
import { Downloads } from '../charts/frame/downloads.tsx'
import { limitValue } from '../format/limit-text.ts'
import { formatColumnShare, formatCount, formatShare } from '../format/number.ts'
import { reasonWords } from '../format/words.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Loading } from '../parts/loading.tsx'
import { SectionHeading } from '../parts/section-heading.tsx'
import { type FunnelStage, funnelStages, type Loss } from './funnel-stages.ts'
import { SizeClasses } from './size-classes.tsx'

const stageWords: Record<FunnelStage['name'], string> = {
  seen: 'Seen by the mirror',
  sampled: 'Sampled',
  answered: 'Answered by both',
  compared: 'Compared',
}

/** Where the window's exchanges went, with a reason for each loss. */
export function FunnelSection({ funnel }: { funnel: Polled<FunnelView> }) {
  return (
    <section class="section" aria-labelledby="funnel">
      <div class="section-head">
        <SectionHeading id="funnel">From traffic to evidence</SectionHeading>
        {funnel.data && funnel.data.seen > 0 && <CoverageWords funnel={funnel.data} />}
      </div>
      {funnel.data === null ? (
        funnel.problem === null ? (
          <Loading what="the funnel" height={220} />
        ) : (
          <EmptyState title="The funnel could not be loaded">{funnel.problem.message}</EmptyState>
        )
      ) : funnel.data.seen === 0 ? (
        <EmptyState title="No exchange seen in this window">
          The mirror counts every request on the route, compared or not.
        </EmptyState>
      ) : (
        <>
          <Stages funnel={funnel.data} />
          <SizeClasses classes={funnel.data.bySizeClass} />
        </>
      )}
    </section>
  )
}

function CoverageWords({ funnel }: { funnel: FunnelView }) {
  const { coverage, coverageMin } = funnel
  if (coverage === null) return <p class="muted">Nothing was sampled</p>
  const short = coverage < coverageMin
  return (
    <p class="muted">
      Coverage <strong class="number">{formatShare(coverage, coverageMin)}</strong>, {limitValue(coverageMin, 'share')}{' '}
      needed
      {short && ': too little'}. The candidate’s failures count as evidence.
    </p>
  )
}

function Stages({ funnel }: { funnel: FunnelView }) {
  const stages = funnelStages(funnel)
  const { seen } = funnel
  return (
    <div class="funnel-block picture">
      <table class="funnel">
        <caption class="visually-hidden">Exchanges of the window, stage by stage, with what was lost and why</caption>
        <thead>
          <tr>
            <th scope="col">Stage</th>
            <th scope="col" class="cell-share-bar">
              <span class="visually-hidden">Share as a bar</span>
            </th>
            <th scope="col" class="numeric">
              Exchanges
            </th>
            <th scope="col" class="numeric">
              Of seen
            </th>
          </tr>
        </thead>
        {stages.map(({ name, count, lost }) => (
          <tbody key={name}>
            {lost.map((loss) => (
              <tr key={`${loss.leg} ${loss.reason}`} class="funnel-loss">
                <th scope="row">{lossWords(loss)}</th>
                <td class="cell-share-bar" aria-hidden="true">
                  <Bar before={count / seen} share={loss.count / seen} kind="loss" />
                </td>
                <td class="numeric">−{formatCount(loss.count)}</td>
                <td class="numeric">{formatColumnShare(loss.count / seen, 2)}</td>
              </tr>
            ))}
            <tr class="funnel-stage">
              <th scope="row">{stageWords[name]}</th>
              <td class="cell-share-bar" aria-hidden="true">
                <Bar share={count / seen} kind={name === 'compared' ? 'compared' : 'stage'} />
              </td>
              <td class="numeric">{formatCount(count)}</td>
              <td class="numeric">{formatColumnShare(count / seen, 2)}</td>
            </tr>
          </tbody>
        ))}
      </table>
      <Downloads
        title="From traffic to evidence"
        table={() => ({
          columns: ['Stage', 'Lost by', 'Reason', 'Exchanges'],
          rows: stages.flatMap(({ name, count, lost }) => [
            ...lost.map((loss) => [
              name,
              loss.leg ?? 'mirror',
              loss.reason,
              { text: formatCount(-loss.count), value: -loss.count },
            ]),
            [name, '', '', { text: formatCount(count), value: count }],
          ]),
        })}
      />
    </div>
  )
}

function Bar({ share, before = 0, kind }: { share: number; before?: number; kind: 'stage' | 'compared' | 'loss' }) {
  return (
    <span class="funnel-track">
      <span class={`funnel-bar funnel-bar-${kind}`} style={{ left: `${before * 100}%`, width: `${share * 100}%` }} />
    </span>
  )
}

function lossWords({ leg, reason }: Loss): string {
  return leg === null ? reasonWords(reason) : `${leg}: ${reasonWords(reason)}`
}

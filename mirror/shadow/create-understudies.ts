import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { ByteBudget } from '../capture/byte-budget.ts'
import type { CandidateConfig, RouteConfig } from '../config/route.ts'
import { primaryOf } from '../config/upstream.ts'
import type { MirrorConfig } from '../config.ts'
import { LiveBreaker } from '../routing/live-breaker.ts'
import { createUpstream } from '../upstream/upstream.ts'
import { UpstreamGroup } from '../upstream/upstream-group.ts'
import { credentialsOfCopiesAlone, fieldEdits } from './shadow-headers.ts'
import { ShadowQueue, type ShadowQueueOptions } from './shadow-queue.ts'
import { onlyTarget, primariesInTurn } from './shadow-targets.ts'
import type { Understudy } from './understudy.ts'

interface Around {
  config: MirrorConfig
  primary: UpstreamGroup
  budget: ByteBudget
  clock: Clock
  logger: Logger
  breakerTurned: () => void
}

/**
 * A route's candidates in order, then its noise floor: the primary as an understudy to itself. `before`: the
 * understudies that these replace; their knowledge of the same addresses is kept.
 */
export function createUnderstudies(
  route: RouteConfig,
  around: Around,
  before: readonly Understudy[] = [],
): Understudy[] {
  const { config, primary } = around
  const knownOf = (isNoiseFloor: boolean, validation: string, url: string) =>
    before.find((one) => one.isNoiseFloor === isNoiseFloor && one.validation === validation && one.config.url === url)
  const toPrimaries = () => primariesInTurn(primary, primaryOf(config.primary).rest, around.clock)
  // what is set for the primary live, its copies need too
  const editForPrimary = fieldEdits({ set: config.headers.set, remove: [] })

  const understudies = route.candidates.map((candidate): Understudy => {
    const { validation, url, tls, headers, liveHeaders } = candidate
    const editFields = fieldEdits(liveHeaders)
    const upstream = createUpstream(url, config.timeout, { tls, log: around, editFields })
    for (const header of credentialsOfCopiesAlone(headers, liveHeaders)) {
      around.logger.warn({ validation, header }, 'set on copies only: live requests to this candidate go without it')
    }
    const known = knownOf(false, validation, url)
    const breaker = { ...breakerOptions(candidate, around), silenceMaxMs: config.timeout }
    return {
      config: candidate,
      validation,
      isNoiseFloor: false,
      upstreams: new UpstreamGroup([upstream], 0, around.clock),
      liveBreaker: new LiveBreaker(breaker, around.clock, known?.liveBreaker),
      shadows: shadowQueue(candidate, around, {
        targets: onlyTarget(upstream.target),
        editFields: fieldEdits(headers),
        before: known?.shadows,
      }),
      reverseShadows: shadowQueue(candidate, around, {
        targets: toPrimaries(),
        editFields: editForPrimary,
        before: known?.reverseShadows,
      }),
    }
  })
  if (!route.noiseFloor) return understudies

  const noiseFloor = { ...route.noiseFloor, url: primaryOf(config.primary).urls[0]! }
  const editForNoiseFloor = fieldEdits(noiseFloor.headers)
  const known = knownOf(true, noiseFloor.validation, noiseFloor.url)
  const shadows = shadowQueue(noiseFloor, around, {
    targets: toPrimaries(),
    editFields: (fields) => editForNoiseFloor(editForPrimary(fields)),
    before: known?.shadows,
  })
  return [
    ...understudies,
    {
      config: noiseFloor,
      validation: noiseFloor.validation,
      isNoiseFloor: true,
      upstreams: primary,
      liveBreaker: undefined,
      shadows,
      reverseShadows: shadows,
    },
  ]
}

const breakerOptions = ({ breaker }: Pick<CandidateConfig, 'breaker'>, { breakerTurned }: Around) => ({
  failures: breaker.failures,
  cooldownMs: breaker.cooldown,
  turned: breakerTurned,
})

function shadowQueue(
  limits: Omit<CandidateConfig, 'validation' | 'url' | 'tls' | 'share' | 'headers' | 'liveHeaders'>,
  around: Around,
  upstream: Pick<ShadowQueueOptions, 'targets' | 'editFields' | 'before'>,
): ShadowQueue {
  const { config, budget, clock } = around
  return new ShadowQueue({
    ...upstream,
    budget,
    clock,
    deadlineMs: limits.deadline,
    concurrency: limits.concurrency,
    queueMax: limits.queue,
    shed: limits.shed,
    retries: limits.retries,
    host: config.headers.host,
    breaker: breakerOptions(limits, around),
    responseBytesMax: config.capture.bodyMax,
  })
}

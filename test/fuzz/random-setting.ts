import type { Random } from './random.ts'
import type { Role } from './random-answer.ts'
import { methods, mirroredPrefix } from './random-request.ts'

/** Fixed for a whole round. */
export interface Setting {
  /** Whether upstreams may break their answers or connections, and which of them may fall silent. */
  mayFail: boolean
  mayHang: (role: Role) => boolean
  /** Whether the mirror's timeout is so short that a busy machine may exceed it. */
  isHasty: boolean
  isComparatorFailing: boolean
  /** How often an upstream may see one request as a shadow. */
  copiesMax: Record<Role, number>
  bodyBytesMax: number
  /** Connection indices at which the config is reloaded. */
  reloadsAt: ReadonlySet<number>
  /** Routing state by validation. */
  live: Record<string, { state: string; livePercent: number; reverseShadow: boolean }>
  /** The mirror's section, except for the forwarder. */
  section: (urls: Record<Role | 'comparator', string>) => Record<string, unknown>
}

export function randomSetting(random: Random): Setting {
  const mood = random.choose({ calm: 3, faulty: 4, hanging: 2 })
  const isAnyLive = random.chance(0.5)
  const bodyMax = random.int(200, 20_000)
  const memoryMax = bodyMax * random.pick([3, 5, 200])
  const state = () => ({
    state: 'rollingOut',
    livePercent: isAnyLive ? random.int(0, 60) : 0,
    reverseShadow: random.chance(0.6),
  })
  const live = { a: state(), b: { ...state(), livePercent: isAnyLive ? random.pick([0, 40]) : 0 } }
  const limits = () => ({
    share: random.pick([1, 1, 0.5]),
    deadline: `${random.int(100, 300)}ms`,
    concurrency: random.pick([1, 2, 8, 32]),
    queue: random.pick([0, 5, 100]),
    shed: random.pick(['newest', 'oldest']),
    retries: random.pick([0, 0, 1, 3]),
  })
  const xForwarded = random.chance(0.3)
  const [a, b] = [limits(), limits()]
  const noiseFloor = random.chance(0.3) ? { validation: 'noise', ...limits() } : undefined
  const correlation = random.chance(0.2) ? { pointer: '/id' } : { header: 'x-request-id' }
  const copies = { a: 1 + a.retries, b: 1 + b.retries, noise: noiseFloor ? 1 + noiseFloor.retries : 0 }
  return {
    mayFail: mood !== 'calm',
    // a hung live candidate costs its client the whole timeout
    mayHang: (role) => mood === 'hanging' || (mood === 'faulty' && role !== 'primary' && !isAnyLive),
    isHasty: mood === 'hanging',
    isComparatorFailing: random.chance(0.2),
    // a reverse shadow has the live candidate's limits
    copiesMax: { a: copies.a, b: copies.b, primary: Math.max(copies.a, copies.b) + copies.noise },
    bodyBytesMax: random.pick([1000, bodyMax * 2, bodyMax * 2, 200_000]),
    live,
    reloadsAt: new Set(random.chance(0.4) ? [random.int(0, 60), random.int(0, 120)] : []),
    section: (urls) => ({
      primary: urls.primary,
      headers: { xForwarded },
      timeout: mood === 'hanging' ? '600ms' : '8s',
      comparator: { url: urls.comparator, token: 't' },
      routes: [
        {
          path: mirroredPrefix,
          methods,
          correlation,
          ...(noiseFloor && { noiseFloor }),
          candidates: [
            { validation: 'a', url: urls.a, ...a },
            { validation: 'b', url: urls.b, ...b },
          ],
        },
      ],
      capture: { bodyMax: `${bodyMax}B`, memoryMax: `${memoryMax}B` },
    }),
  }
}

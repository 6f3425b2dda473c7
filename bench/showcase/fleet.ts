import type { MirrorReport } from '../../vocabulary/mirrors.ts'
import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'

/** Which validation is mirrored on which route, and by which candidate server. */
export const routes = [
  { validation: 'digits-int8', route: '/predictions/digits', url: 'http://10.4.0.21:8090', version: 'student-4-int8' },
  { validation: 'digits-itself', route: '/predictions/digits', url: 'http://10.4.0.2:9000', version: 'teacher-7' },
  { validation: 'price-student', route: '/v2/quote', url: 'http://10.4.0.22:8090', version: 'student-2' },
  { validation: 'doorway-detector', route: '/detect', url: 'http://10.4.0.23:8090', version: 'nano-1' },
  { validation: 'summary-small', route: '/summaries', url: 'http://10.4.0.24:8090', version: 'small-2' },
  { validation: 'search-embedding', route: '/embed', url: 'http://10.4.0.24:8091', version: 'e5-small' },
  { validation: 'invoice-fields', route: '/invoices', url: 'http://10.4.0.25:8090', version: 'layout-small-2' },
  { validation: 'payment-tree', route: '/payments', url: 'http://10.4.0.26:8090', version: 'tree-5' },
  { validation: 'delay-forest', route: '/delays', url: 'http://10.4.0.27:8090', version: '1' },
]

/** Three mirrors: one healthy, one behind schedule with a failing candidate, one that has gone silent. */
export function mirrorReports(
  now: EpochMs,
  counts: ReadonlyMap<string, number>,
): { silent: MirrorReport; reporting: MirrorReport[] } {
  const ago = (ms: number) => new Date(now - ms).toISOString()
  const ledgerOf = (names: string[], share: number) =>
    routes
      .filter(({ validation }) => names.includes(validation))
      .map(({ validation }, k) => {
        const delivered = Math.round((counts.get(validation) ?? 0) * share)
        const pending = k % 3
        const skipped = { notSampled: k * 40, shed: k * 3, tooLarge: k === 1 ? 2 : 0 }
        const lost = skipped.notSampled + skipped.shed + skipped.tooLarge
        return { validation, seen: delivered + lost + pending, delivered, pending, skipped }
      })
  const of = (names: string[], share: number, heardAgo: Milliseconds) => ({
    ledger: ledgerOf(names, share),
    pending: ledgerOf(names, share).reduce((sum, { pending }) => sum + pending, 0),
    candidates: routes
      .filter(({ validation }) => names.includes(validation))
      .map(({ version, ...candidate }, k) => ({
        ...candidate,
        breaker: 'closed' as const,
        inFlight: k,
        queued: 0,
        lastAnswerAt: ago(heardAgo + 900 * k),
        version,
        digest: null,
      })),
  })
  const hour = 3_600_000
  const usual = { worker: 0, workers: 1, isStopping: false, lagMs: 0, spooledBytes: 0, alarms: [] }
  const west = of(['price-student', 'doorway-detector', 'delay-forest'], 1, 1_400)
  return {
    silent: { ...usual, name: 'ap-1', startedAt: ago(90 * hour), ...of(['search-embedding'], 0.3, 3 * hour) },
    reporting: [
      {
        ...usual,
        name: 'eu-1',
        startedAt: ago(211 * hour),
        ...of(['digits-int8', 'digits-itself', 'summary-small', 'invoice-fields', 'payment-tree'], 1, 2_100),
      },
      {
        ...usual,
        name: 'us-1',
        startedAt: ago(33 * hour),
        lagMs: 194_000,
        spooledBytes: 81_264_640,
        ...west,
        alarms: [
          {
            code: 'BREAKER_OPEN',
            validation: 'doorway-detector',
            since: ago(310_000),
            message: '20 shadow requests in a row failed: connect ECONNREFUSED 10.4.0.23:8090; one is tried every 10 s',
          },
        ],
        candidates: west.candidates.map((candidate) =>
          candidate.validation === 'doorway-detector'
            ? { ...candidate, breaker: 'open' as const, lastAnswerAt: ago(312_000), inFlight: 0 }
            : candidate,
        ),
      },
    ],
  }
}

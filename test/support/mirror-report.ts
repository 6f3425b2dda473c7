import type { MirrorReport } from '../../vocabulary/mirrors.ts'

/** What a mirror with nothing to say reports about itself. */
export const mirrorReport = (more: Partial<MirrorReport> = {}): MirrorReport => ({
  name: 'eu-1',
  worker: 0,
  workers: 1,
  startedAt: new Date(Date.now() - 3_600_000).toISOString(),
  isStopping: false,
  lagMs: 0,
  spooledBytes: 0,
  pending: 0,
  ledger: [],
  alarms: [],
  candidates: [],
  ...more,
})

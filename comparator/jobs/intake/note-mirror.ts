import { Compile } from 'typebox/compile'
import { findProblems } from '../../../runtime/config/find-problems.ts'
import { MirrorReport } from '../../../vocabulary/mirrors.ts'
import { saveMirror } from '../../store/intake/mirrors.ts'
import type { Comparator } from '../comparator.ts'

const schema = Compile(MirrorReport)

/** Stores a mirror's report of itself. A malformed one is only logged: the counts delivered with it matter more. */
export async function noteMirror({ db, clock, logger }: Comparator, raw: unknown): Promise<void> {
  if (!schema.Check(raw)) {
    const [problem] = findProblems(MirrorReport, raw, '')
    logger.warn({ path: problem?.path, expected: problem?.expected }, 'a mirror sent a report of an unknown form')
    return
  }
  const report = raw as MirrorReport
  const { name, worker } = report
  await saveMirror(db, { name, worker, reported_at: new Date(clock.now()), report })
}

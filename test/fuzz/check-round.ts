import { checkConnection } from './check-connection.ts'
import { checkObservations } from './check-observations.ts'
import { checkUpstream } from './check-upstreams.ts'
import type { MirrorUnderFuzz } from './mirror-under-fuzz.ts'
import type { Played } from './play-connection.ts'
import { type Answer, type Role, roles } from './random-answer.ts'
import type { ClientConnection, Expected } from './random-connection.ts'
import { escapingPrefix, methods, mirroredPrefix, originForm } from './random-request.ts'
import type { Setting } from './random-setting.ts'
import type { ScriptedComparator } from './scripted-comparator.ts'
import type { ScriptedUpstream } from './scripted-upstream.ts'

/** Everything a round left behind. */
export interface Record {
  seed: number
  setting: Setting
  connections: readonly ClientConnection[]
  requests: ReadonlyMap<string, { request: Expected; connection: ClientConnection }>
  played: ReadonlyMap<ClientConnection, Played>
  answers: ReadonlyMap<string, Answer>
  answerTo: (role: Role, key: string) => Answer
  upstreams: { [role in Role]: ScriptedUpstream }
  comparator: ScriptedComparator
  mirror: MirrorUnderFuzz
  /** Failures during the round. */
  failures: readonly string[]
}

export interface Verdict {
  seed: number
  /** Number of requests as the reference reads them, of those answered whole, and of those in the ledger. */
  requests: number
  answered: number
  seen: number
  delivered: number
  skipped: { [reason: string]: number }
  violations: string[]
}

export async function judge(record: Record): Promise<Verdict> {
  const { seed, setting, requests, answers, answerTo, upstreams, comparator, mirror } = record
  const liveSeen = Map.groupBy(
    // the primary is last: it is asked when a live candidate has failed
    [...roles]
      .reverse()
      .flatMap((role) => upstreams[role].seen.filter(({ isShadow }) => !isShadow).map((seen) => ({ role, seen }))),
    ({ seen }) => seen.key,
  )
  const wholeAt = (key: string) =>
    (liveSeen.get(key) ?? []).filter(({ seen }) => seen.isWhole).map(({ role }) => answerTo(role, key))

  const violations = [...record.failures, ...mirror.errors]
  const answered = new Set<string>()
  for (const [connection, played] of record.played) {
    const evidence = {
      hasFaults: setting.mayFail,
      isHasty: setting.isHasty,
      answerOf: (mark: string) => answers.get(mark),
      wholeAt,
    }
    const judged = checkConnection(connection, played, evidence)
    violations.push(...judged.violations)
    for (const key of judged.answered) answered.add(key)
  }
  for (const role of roles) {
    violations.push(
      ...upstreams[role].violations,
      ...checkUpstream(role, upstreams[role].seen, requests, setting.copiesMax[role]),
    )
  }
  violations.push(...checkObservations(comparator.observations.values(), (key) => requests.get(key)?.request, answerTo))

  const mirrored = [...requests.values()].map(({ request }) => request).filter(isMirrored)
  const certain = mirrored.filter(({ key }) => answered.has(key) || liveSeen.has(key))
  const accounts = await mirror.ledger()
  let delivered = 0
  const skipped: { [reason: string]: number } = {}
  for (const [validation, account] of Object.entries(accounts)) {
    delivered += account.delivered
    for (const [reason, count] of Object.entries(account.skipped)) skipped[reason] = (skipped[reason] ?? 0) + count
    if (account.seen < certain.length || account.seen > mirrored.length) {
      violations.push(
        `${validation}: ${account.seen} seen, of ${certain.length} to ${mirrored.length} mirrored requests`,
      )
    }
  }
  if (delivered !== comparator.observations.size) {
    violations.push(`${delivered} delivered, of ${comparator.observations.size} that the comparator accepted`)
  }
  const metrics = await mirror.metrics()
  violations.push(...(metrics.match(/^understudy_mirror_errors_total\{.*\} [1-9].*$/gm) ?? []))
  return {
    seed,
    requests: requests.size,
    answered: answered.size,
    seen: accounts.a!.seen,
    delivered,
    skipped,
    violations,
  }
}

function isMirrored({ message }: Expected): boolean {
  const [method, target] = message.start
  const path = originForm(target)
  if (path.startsWith(escapingPrefix)) return false
  return path.startsWith(`${mirroredPrefix}/`) && (methods as readonly string[]).includes(method)
}

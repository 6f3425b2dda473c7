import { setTimeout as sleep } from 'node:timers/promises'
import type { ValidationView } from '../../vocabulary/api/validation.ts'
import { ApiClient, ApiRefusal } from '../api-client.ts'
import { CliFailure, exitCodes } from '../failure.ts'
import { endingSignals, interruptedStatus } from '../interrupt.ts'
import { printJson } from '../print-json.ts'
import { ProgressLine } from '../progress-line.ts'
import { findPlaces, type Places } from './places.ts'
import { progressText } from './progress-text.ts'
import { startServices } from './services.ts'
import { startTraffic, type Traffic } from './traffic.ts'

const goodCandidates = ['digits-int8', 'diabetes-int8']
const promoted = { validation: 'digits-int8', version: 'student-int8' }
const badCandidate = 'digits-int8-dim'
const names = [...goodCandidates, badCandidate]
/** How long `--exit` waits for the gates, and then for the rollout. */
const gatesTimeoutMs = 240_000
const rolloutTimeoutMs = 120_000
const settleTimeoutMs = 30_000

/** Runs the demo until Ctrl-C or, with `exit`, to its end. Returns the exit status. */
export async function runDemo(options: { exit?: true; portBase: number; data?: string }): Promise<number> {
  const exit = options.exit ?? false
  const places = findPlaces(options.portBase, options.data, exit)
  const progress = new ProgressLine()
  const interrupted = new AbortController()
  const interrupt = () => interrupted.abort(new CliFailure('interrupted', interruptedStatus))
  for (const signal of endingSignals) process.on(signal, interrupt)
  const over = new AbortController()

  let stopServices: (() => Promise<void>) | undefined
  let traffic: Traffic | undefined
  try {
    progress.say('Starting the comparator, the primary, two candidate servers and the mirror …')
    const services = await startServices(places, interrupted.signal)
    stopServices = services.stop
    traffic = startTraffic(places)
    welcome(places, exit)

    const end = new Promise<never>((_resolve, reject) => {
      interrupted.signal.addEventListener('abort', () => reject(interrupted.signal.reason))
      services.broken.then(reject)
    })
    const watch = watcher(places, traffic, progress, over.signal)
    if (!exit) return await Promise.race([end, watch(() => false, Number.POSITIVE_INFINITY).then(() => 0)])
    const result = await Promise.race([end, playToTheEnd(places, traffic, progress, watch)])
    await stopServices()
    printJson(result)
    return result.ok ? 0 : 1
  } catch (error) {
    if (interrupted.signal.aborted && !exit) {
      progress.say('Stopping; the data is kept for the next start.')
      return 0
    }
    throw error
  } finally {
    over.abort()
    progress.clear()
    for (const signal of endingSignals) process.off(signal, interrupt)
    await traffic?.stop()
    await stopServices?.()
    places.clear()
  }
}

function welcome({ comparatorUrl, mirrorUrl, tokens, dataDir }: Places, exit: boolean): void {
  const lines = [
    '',
    `  Dashboard       ${comparatorUrl}/#token=${tokens.approver}`,
    `  Approver token  ${tokens.approver}`,
    `  Mirror          ${mirrorUrl}  (send your own requests: POST /predictions/digits, /predictions/diabetes)`,
    `  Data and logs   ${dataDir}`,
    '',
    exit ? '  Running to the end unattended.' : '  Ctrl-C stops everything.',
    '',
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

type Watch = (until: (validations: ValidationView[]) => boolean, timeoutMs: number) => Promise<ValidationView[]>

/** Shows the progress repeatedly until a condition holds. Throws if it does not in time, and when the signal comes. */
function watcher(places: Places, traffic: Traffic, progress: ProgressLine, signal: AbortSignal): Watch {
  const api = new ApiClient({ server: places.comparatorUrl, token: places.tokens.approver })
  return async (until, timeoutMs) => {
    const deadline = Date.now() + timeoutMs
    for (;;) {
      const validations = await Promise.all(names.map((name) => api.validation(name)))
      signal.throwIfAborted()
      progress.show(progressText(traffic.requests, traffic.clientErrors, validations))
      if (until(validations)) return validations
      if (Date.now() > deadline) {
        throw new CliFailure(
          `not reached in time: ${validations.map(({ name, reason }) => `${name}: ${reason}`).join('; ')}`,
          exitCodes.fail,
        )
      }
      await sleep(1000, undefined, { signal })
    }
  }
}

/**
 * The facts that `--exit` asserts, all measured: the gates decide, the bad candidate is refused, live traffic moves.
 */
async function playToTheEnd(places: Places, traffic: Traffic, progress: ProgressLine, watch: Watch) {
  const api = new ApiClient({ server: places.comparatorUrl, token: places.tokens.approver })
  const verdictOf = (validations: ValidationView[], name: string) => validations.find((v) => v.name === name)?.verdict
  await watch(
    (validations) =>
      goodCandidates.every((name) => verdictOf(validations, name) === 'pass') &&
      verdictOf(validations, badCandidate) === 'fail',
    gatesTimeoutMs,
  )

  const badGate = await api.gate(badCandidate)
  const refusal = await api.promote(badCandidate, { gateId: badGate.id, comment: 'it looks fine at a glance' }).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof ApiRefusal) return error.body.code
      throw error
    },
  )
  progress.say(`${badCandidate} was refused: ${refusal} (${badGate.reason})`)

  const gate = await api.gate(promoted.validation)
  await api.promote(promoted.validation, { gateId: gate.id, comment: 'the gate passed over the whole window' })
  progress.say(`${promoted.validation} was approved: ${gate.reason}`)
  const isLive = (views: ValidationView[]) =>
    views.find(({ name }) => name === promoted.validation)?.state === 'promoted' &&
    traffic.livePercentOf(promoted.version) === 100
  const validations = await watch(isLive, rolloutTimeoutMs)
  const livePercent = traffic.livePercentOf(promoted.version)

  await traffic.stop()
  const ledger = await settledLedger(places)
  const ok = refusal === 'GATE_NOT_PASSED' && livePercent === 100 && traffic.clientErrors === 0 && isBalanced(ledger)
  return {
    ok,
    requests: traffic.requests,
    clientErrors: traffic.clientErrors,
    livePercent,
    validations: Object.fromEntries(
      validations.map(({ name, state, verdict, window, coverage }) => [
        name,
        { state, verdict, samples: window.samples, coverage },
      ]),
    ),
    ledger,
  }
}

interface Ledger {
  validations: Record<string, { seen: number; delivered: number; pending: number; skipped: Record<string, number> }>
}

/** The mirror's ledger once nothing is pending. */
async function settledLedger({ mirrorAdminUrl }: Places): Promise<Ledger> {
  const deadline = Date.now() + settleTimeoutMs
  for (;;) {
    const ledger = (await (await fetch(`${mirrorAdminUrl}/ledger`)).json()) as Ledger
    const pending = Object.values(ledger.validations).some((entry) => entry.pending > 0)
    if (!pending || Date.now() > deadline) return ledger
    await sleep(100)
  }
}

function isBalanced({ validations }: Ledger): boolean {
  return Object.values(validations).every(
    ({ seen, delivered, pending, skipped }) =>
      pending === 0 && seen === delivered + Object.values(skipped).reduce((sum, count) => sum + count, 0),
  )
}

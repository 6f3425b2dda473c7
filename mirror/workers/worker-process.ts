import '../../runtime/heap-flags.ts'
import type { Socket } from 'node:net'
import { createLeave } from '../../runtime/lifecycle.ts'
import { createLogger } from '../../runtime/logger.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import type { MirrorConfig } from '../config.ts'
import { openingSpool } from '../delivery/open-spool.ts'
import { isDiskBusy } from '../disk.ts'
import { type StartedMirror, startMirror, stopLimitMs } from '../server.ts'
import { FollowedReloads } from './followed-reloads.ts'
import type { FromWorker, ToWorker } from './messages.ts'

/** Short, because a crash leaves uncounted what came since the last report. */
const accountsEveryMs: Milliseconds = 50
const stateEveryMs: Milliseconds = 1000

// these signals reach the whole process group; the supervisor decides what they mean
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})

let logger = createLogger('mirror')
let config: MirrorConfig | undefined
let starting: Promise<StartedMirror> | undefined
let mirror: StartedMirror | undefined
let reloads: FollowedReloads | undefined
/** Whether the connection to be confirmed next has arrived. */
let hasArrived = false
let isReporting = false
let accountsSent = ''

const send = (message: FromWorker) =>
  new Promise<void>((resolve) => {
    if (process.connected) process.send!(message, undefined, {}, () => resolve())
    else resolve()
  })

const service = {
  stop,
  get wasCut() {
    return mirror?.wasCut ?? false
  },
  get isDiskHanging() {
    return isDiskBusy()
  },
}
const leave = createLeave(service, logger, () => {
  const inForce = reloads?.config ?? config
  return inForce ? stopLimitMs(inForce) : 0
})
process.once('disconnect', () => leave('the supervisor is gone'))
process.on('message', (message: ToWorker, connection?: Socket) => {
  if (message.kind === 'start') start(message)
  else if (message.kind === 'connection') {
    hasArrived = connection !== undefined
    if (connection) mirror!.take(connection)
  } else if (message.kind === 'confirm') {
    void send({ kind: 'confirmed', hasArrived })
    hasArrived = false
  } else if (message.kind === 'stop') leave('stop')
  else {
    const done = (problem?: string) =>
      send({ kind: 'reply', id: message.id, ...(problem !== undefined && { problem }) })
    follow(message).then(
      () => done(),
      (error: Error) => done(error.message),
    )
  }
})
send({ kind: 'hello' })

function start({ config: first, number, quiet, coverage }: Extract<ToWorker, { kind: 'start' }>): void {
  config = first
  logger = logger.child({ worker: number })
  if (config.comparator) logger.info({ dir: config.spool.dir }, openingSpool)
  starting = startMirror({
    config,
    logger,
    isWorker: true,
    worker: number,
    quietBefore: quiet,
    coverageBefore: coverage,
  })
  starting.then(
    async (started) => {
      mirror = started
      reloads = new FollowedReloads(started, first)
      await send({ kind: 'up', resumed: started.resumed })
      logger.info({ url: started.url }, 'worker is up')
      setInterval(() => reportUnlessBusy(() => sendAccounts(started)), accountsEveryMs).unref()
      setInterval(() => reportUnlessBusy(() => sendState(started)), stateEveryMs).unref()
    },
    async (error: Error) => {
      logger.error({ err: error }, 'the worker could not start')
      await send({ kind: 'startFailed', problem: error.message })
      process.exit(1)
    },
  )
}

/** Handles a call to a worker that is up. */
function follow(message: Extract<ToWorker, { id: number }>): Promise<void> {
  switch (message.kind) {
    case 'report':
      return sendState(mirror!)
    case 'prepare':
      return reloads!.prepare(message.config)
    case 'apply':
      return reloads!.apply(message.config)
    case 'discard':
      return reloads!.discard()
  }
}

async function stop(): Promise<void> {
  const started = await starting
  if (!started) return
  await started.stop()
  await sendState(started)
}

/** Skips a report while the last is still being sent: a slow supervisor must not fill this process's memory. */
function reportUnlessBusy(report: () => Promise<void>): void {
  if (isReporting) return
  isReporting = true
  report().finally(() => {
    isReporting = false
  })
}

async function sendAccounts(started: StartedMirror): Promise<void> {
  const said = { accounts: started.accounts(), resumed: started.resumed, coverage: started.coverage() }
  const text = JSON.stringify(said)
  if (text === accountsSent) return
  accountsSent = text
  await send({ kind: 'accounts', ...said })
}

async function sendState(started: StartedMirror): Promise<void> {
  const metrics = await started.registry.getMetricsAsJSON()
  const { resumed } = started
  const [accounts, readiness, routing] = [started.accounts(), started.readiness(), started.routing()]
  await send({ kind: 'state', state: { accounts, resumed, readiness, quiet: started.quiet(), routing, metrics } })
}

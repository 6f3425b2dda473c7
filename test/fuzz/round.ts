import { setTimeout as sleep } from 'node:timers/promises'
import type { Account } from '../../mirror/ledger/ledger.ts'
import { judge, type Verdict } from './check-round.ts'
import { requestsByKey } from './check-upstreams.ts'
import { type MirrorUnderFuzz, mirrorUnderFuzz } from './mirror-under-fuzz.ts'
import { type Played, playConnection } from './play-connection.ts'
import { Random } from './random.ts'
import { type Answer, type Role, randomAnswer, roles } from './random-answer.ts'
import { type ClientConnection, randomConnection } from './random-connection.ts'
import { randomSetting } from './random-setting.ts'
import { scriptedComparator } from './scripted-comparator.ts'
import { scriptedUpstream } from './scripted-upstream.ts'

export type ForwarderName = 'wire' | 'http-proxy-3'

export interface RoundOptions {
  seed: number
  forwarder: ForwarderName
  /** Number of client connections. */
  connections: number
  /** Plays only this connection. */
  only?: number
}

const clientsMax = 48
/** Longer than the comparator's backoff and all deadlines together. */
const settleMs = 20_000

/** Runs a mirror, upstreams, a comparator and clients from start to end, all determined by the seed. */
export async function playRound(options: RoundOptions): Promise<Verdict> {
  const { seed, forwarder } = options
  const random = new Random(seed)
  const setting = randomSetting(random.fork('setting'))
  const connections = Array.from({ length: options.connections }, (_, i) =>
    randomConnection(random.fork(`connection ${i}`), i, {
      bodyBytesMax: setting.bodyBytesMax,
      // HTTP/1.0 is always handled by Node's messages
      isPlain: forwarder !== 'wire' || random.fork(`plain ${i}`).chance(0.1),
    }),
  ).filter(({ index }) => options.only === undefined || index === options.only)
  const requests = requestsByKey(connections)

  const answers = new Map<string, Answer>()
  const answerTo = (role: Role, key: string): Answer => {
    const mark = `${role} ${key}`
    const known = answers.get(mark)
    if (known) return known
    const [method] = requests.get(key)!.request.message.start
    const { bodyBytesMax, mayFail, mayHang } = setting
    const answer = randomAnswer(random.fork(mark), {
      mark,
      method,
      isPlain: requests.get(key)!.connection.isPlain,
      bodyBytesMax,
      mayFail,
      mayHang: mayHang(role),
    })
    answers.set(mark, answer)
    return answer
  }
  const failures: string[] = []
  const [primary, a, b] = await Promise.all(
    roles.map((role) => scriptedUpstream(role, (key) => (requests.has(key) ? answerTo(role, key) : undefined))),
  )
  const upstreams = { primary: primary!, a: a!, b: b! }
  const comparator = await scriptedComparator(random.fork('comparator'), setting.isComparatorFailing)
  const urls = { primary: primary!.url, a: a!.url, b: b!.url, comparator: comparator.url }
  const mirror = await mirrorUnderFuzz({ ...setting.section(urls), forwarder }, setting.live)
  const listening = listenForFailures(failures)
  const watching = watchLedger(mirror, failures)
  try {
    const played = new Map<ClientConnection, Played>()
    await inParallel(connections, async (connection) => {
      if (setting.reloadsAt.has(connection.index)) await mirror.reload()
      played.set(connection, await playConnection(mirror.port, connection))
    })
    comparator.isFailing = false
    const left = await settled(mirror)
    if (left) failures.push(left)
    watching.stop()
    return await judge({
      seed,
      setting,
      connections,
      requests,
      played,
      answers,
      answerTo,
      upstreams,
      comparator,
      mirror,
      failures,
    })
  } finally {
    watching.stop()
    await mirror.stop()
    for (const { close } of [...Object.values(upstreams), comparator]) close()
    listening.stop()
  }
}

function listenForFailures(failures: string[]) {
  const uncaught = (error: Error) => failures.push(`uncaught: ${error?.stack}`)
  const warned = (warning: Error) => failures.push(`warning: ${warning.stack}`)
  process.on('uncaughtException', uncaught)
  process.on('unhandledRejection', uncaught)
  process.on('warning', warned)
  return {
    stop() {
      process.off('uncaughtException', uncaught)
      process.off('unhandledRejection', uncaught)
      process.off('warning', warned)
    },
  }
}

/** Checks continuously that `seen = delivered + pending + Σ skipped`. */
function watchLedger(mirror: MirrorUnderFuzz, failures: string[]) {
  let isOver = false
  const look = async () => {
    while (!isOver) {
      for (const [validation, account] of Object.entries(await mirror.ledger())) {
        if (!balances(account)) failures.push(`the ledger of ${validation} is off: ${JSON.stringify(account)}`)
      }
      await sleep(20)
    }
  }
  look().catch((error) => isOver || failures.push(`the ledger could not be read: ${error.stack}`))
  return {
    stop() {
      isOver = true
    },
  }
}

const balances = ({ seen, delivered, pending, skipped }: Account) =>
  seen === delivered + pending + Object.values(skipped).reduce((sum, count) => sum + count, 0)

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items]
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: clientsMax }, worker))
}

/** Waits until nothing is pending, open or held; otherwise returns what is. */
async function settled(mirror: MirrorUnderFuzz): Promise<string | undefined> {
  const deadline = performance.now() + settleMs
  for (;;) {
    const pending = Object.values(await mirror.ledger()).map((account) => account.pending)
    const open = await mirror.gauge('understudy_mirror_open_exchanges')
    const held = mirror.heldBytes()
    if (pending.every((count) => count === 0) && open === 0 && held === 0) return undefined
    if (performance.now() > deadline)
      return `left in the end: ${pending} pending, ${open} open exchanges, ${held} bytes held`
    await sleep(10)
  }
}

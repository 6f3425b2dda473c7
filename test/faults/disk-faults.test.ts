import { rmSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { canHaveDisks, Disk, withDiskAt, withReadOnlyDiskAt } from './disk.ts'
import { type Stage, type StageOptions, startStage } from './stage.ts'

/** A mirror that needs its disk because its comparator is dead. */
async function stageWithoutComparator(options: Partial<StageOptions>): Promise<Stage> {
  const stage = await startStage({ validations: { disk: { deadline: '20s' } }, ...options })
  onTestFinished(() => stage.close())
  await stage.comparator.die()
  return stage
}

const held = ({ mirror }: Stage) => mirror.metric('understudy_mirror_held_bytes')
const spooled = ({ mirror }: Stage) => mirror.metric('understudy_mirror_spool_bytes')

async function deliverAll(stage: Stage): Promise<void> {
  await stage.comparator.revive()
  await stage.recover('disk')
  const { skipped } = await stage.settle('disk')
  expect(Object.keys(skipped)).toEqual(['shed'])
  expect(await spooled(stage)).toBe(0)
}

test('a spool at its limit sheds and counts new observations, and accepts them again once there is room', async () => {
  const stage = await stageWithoutComparator({ spoolSizeMax: '1MiB' })
  await stage.load('disk')
  await waitFor('memory to be free', async () => (await held(stage)) === 0)
  expect(await spooled(stage)).toBeGreaterThan(0.5 * 1024 ** 2)
  expect(await spooled(stage)).toBeLessThanOrEqual(1024 ** 2)
  expect((await stage.mirror.ledger()).disk!.skipped.shed).toBeGreaterThan(0)
  await deliverAll(stage)
})

interface DiskFault {
  is: string
  begin: (stage: Stage) => unknown
  end: (stage: Stage) => void
  within?: typeof withDiskAt
}
const diskOf = ({ mirror, spool }: Stage) => new Disk(mirror.pid, spool)
const gone: DiskFault = {
  is: 'gone',
  // the mirror recreates its directory when it needs it, perhaps between two steps
  begin: ({ spool }) => waitFor('no directory to be there', async () => tryReplaceByFile(spool)),
  end: ({ spool }) => rmSync(spool),
}
function tryReplaceByFile(directory: string): boolean {
  try {
    rmSync(directory, { recursive: true, force: true })
    writeFileSync(directory, 'no directory')
    return true
  } catch (error) {
    // the mirror wrote a file, or its directory, between two of these steps
    if (['ENOTEMPTY', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}
const onDisksOfOurOwn: DiskFault[] = [
  { is: 'full', within: withDiskAt, begin: (stage) => diskOf(stage).fill(), end: (stage) => diskOf(stage).free() },
  {
    is: 'read-only',
    within: withDiskAt,
    begin: (stage) => waitFor('the disk to be read-only', async () => diskOf(stage).tryForbidWrites()),
    end: (stage) => diskOf(stage).allowWrites(),
  },
  {
    is: 'read-only from the start',
    within: withReadOnlyDiskAt,
    begin: () => {},
    end: (stage) => diskOf(stage).allowWrites(),
  },
]
const sentence =
  'what a disk that is $is does not take stays in memory as far as there is room, and goes to disk once it is not'

async function holdsThrough({ begin, end, within }: DiskFault): Promise<void> {
  // less than one load leaves behind
  const stage = await stageWithoutComparator({ section: { capture: { memoryMax: '3MiB' } }, ...(within && { within }) })
  await begin(stage)
  await stage.load('disk')
  // a file being replaced may leave a page or two
  expect(await spooled(stage)).toBeLessThan(20_000)
  expect(await held(stage)).toBeGreaterThan(1e6)
  expect((await stage.mirror.ledger()).disk!.skipped.shed).toBeGreaterThan(0)
  end(stage)
  await stage.probe('disk')
  await waitFor('everything to be on disk', async () => (await held(stage)) === 0 && (await spooled(stage)) > 1e6)
  await deliverAll(stage)
}

test.for([gone])(sentence, holdsThrough)

const areDisksAllowed = canHaveDisks()
// visible even in reporters that omit skipped tests
const title = areDisksAllowed ? sentence : `NOT TESTED, as user namespaces are not allowed here: ${sentence}`
if (!areDisksAllowed) console.warn(title)
test.skipIf(!areDisksAllowed).for(onDisksOfOurOwn)(title, holdsThrough)

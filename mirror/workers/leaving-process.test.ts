import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { answering, fakeUpstream } from '../testing/fake-upstream.ts'
import { holdBack } from '../testing/held-back.ts'
import { launchMirror, type MirrorProcess, spawnMirror } from '../testing/mirror-process.ts'
import { tempDir } from '../testing/mirror-under-test.ts'
import { isAlive, pidsOf } from '../testing/workers.ts'

/** Stops a process so that it reads no more messages. */
function stop(pid: number): void {
  process.kill(pid, 'SIGSTOP')
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  })
}

async function tellTwice({ child, exited, logged }: Pick<MirrorProcess, 'child' | 'exited' | 'logged'>) {
  child.kill('SIGTERM')
  await waitFor('the signal to be heard', () => logged('draining').length > 0)
  // another, as the same one at once counts as once
  child.kill('SIGINT')
  expect(await exited).toEqual([null, 'SIGKILL'])
  await waitFor('word of the second', () => logged('told to stop a second time: exiting at once').length > 0)
}

test('a worker that reads no messages does not outlive a supervisor that was told twice', async () => {
  const primary = await fakeUpstream(answering('{}'))
  const running = await spawnMirror({ workers: 2, primary: primary.url, spool: { dir: tempDir() } })
  const [deaf] = pidsOf(running)
  stop(deaf!)
  await tellTwice(running)
  await waitFor('its end', () => !isAlive(deaf!))
})

test('nor does one that is still starting', async () => {
  const dir = tempDir()
  // the supervisor reads it first
  const giveRouting = holdBack(join(dir, 'routing.json'))
  const comparator = { url: 'http://127.0.0.1:9', token: 't' }
  const launched = launchMirror({ workers: 2, primary: 'http://127.0.0.1:9', comparator, spool: { dir } })
  await giveRouting()
  const starting = () =>
    launched.logged('opening the spool; the start waits for its disk').find(({ worker }) => worker === 0)
  const { pid } = await waitFor('it to start', starting)
  stop(pid as number)
  await tellTwice(launched)
  await waitFor('its end', () => !isAlive(pid as number))
})

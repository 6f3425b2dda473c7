import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { canHaveDisks, withFileAt } from './disk.ts'
import { startStage } from './stage.ts'

const sentence = 'a primary whose name can no longer be resolved is reached where it was, and found again'
const isAllowed = canHaveDisks()
const title = isAllowed ? sentence : `NOT TESTED, as user namespaces are not allowed here: ${sentence}`
if (!isAllowed) console.warn(title)

test.skipIf(!isAllowed)(title, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'understudy-names-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const hosts = join(dir, 'hosts')
  const isKnown = (known: boolean) => writeFileSync(hosts, known ? '127.0.0.1 localhost primary.invalid\n' : '')
  isKnown(true)
  const stage = await startStage({
    validations: { names: { deadline: '20s' } },
    primaryHost: 'primary.invalid',
    within: () => withFileAt('/etc/hosts', hosts),
  })
  onTestFinished(() => stage.close())
  const inDoubt = () => stage.mirror.metric('understudy_mirror_names_in_doubt')
  await stage.probe('names')
  expect(await inDoubt()).toBe(0)

  isKnown(false)
  // forces every connection to be made anew
  await stage.primary.die()
  await stage.primary.revive()
  await stage.load('names')
  expect(await inDoubt()).toBe(1)
  await stage.recover('names')

  isKnown(true)
  await waitFor('the name to be known again', async () => {
    await stage.primary.die()
    await stage.primary.revive()
    await stage.probe('names')
    return (await inDoubt()) === 0
  })
  expect((await stage.settle('names')).skipped).toEqual({})
})

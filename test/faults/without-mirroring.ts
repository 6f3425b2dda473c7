import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load } from './load.ts'
import { MirrorProcess } from './mirror-process.ts'
import { recordingPrimary } from './primary.ts'
import { startServer } from './server-on-port.ts'

let views: Promise<string[]> | undefined

/** What the load's clients see of a mirror without candidates, when nothing goes wrong; measured once. */
export function viewsWithoutMirroring(requests: number): Promise<string[]> {
  views ??= measure(requests)
  return views
}

async function measure(requests: number): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'understudy-no-faults-'))
  const primary = await startServer(0, recordingPrimary().answer)
  const mirror = await MirrorProcess.start(directory, { primary: primary.url })
  try {
    const { views, errors } = await load({ url: `${mirror.url}/plain`, name: 'plain', requests })
    if (errors.length > 0) throw new Error(`even without mirroring: ${errors.join('; ')}`)
    return views
  } finally {
    await mirror.kill()
    await primary.die()
    rmSync(directory, { recursive: true, force: true })
  }
}

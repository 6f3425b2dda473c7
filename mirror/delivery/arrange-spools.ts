import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DirectoryLockedError, lockDirectory } from '../../runtime/directory-lock.ts'
import type { Logger } from '../../runtime/logger.ts'
import { makeDirectory } from '../../runtime/make-directory.ts'
import { inTime, readInTime } from '../disk.ts'
import { replaceFile, replaceJsonFile } from '../replace-file.ts'
import { coverageFileIn } from './coverage-file.ts'
import { numberOfSpool, spoolDirOf } from './spool-dir.ts'
import { nameOfSegment, parseSegmentName } from './spool-segment.ts'

const routing = 'routing.json'

/**
 * Gives all workers the last known good routing that worker 0 has. A spool that another process holds keeps its own: the
 * worker that cannot lock it says so. A disk that fails or hangs does not prevent the start.
 */
export async function spreadRouting(dir: string, workers: number, logger: Logger): Promise<void> {
  try {
    const document = parsed(await readInTime(join(dir, routing)).catch(unlessMissing))
    for (let number = 1; number < workers && document !== undefined; number++) {
      await inTime(giveRouting(spoolDirOf(dir, number), document))
    }
  } catch (error) {
    logger.error({ err: error, dir }, 'the last known routing could not be passed to all workers')
  }
}

async function giveRouting(dir: string, document: unknown): Promise<void> {
  await makeDirectory(dir, 0o700)
  let unlock: () => Promise<void>
  try {
    unlock = await lockDirectory(dir)
  } catch (error) {
    if (error instanceof DirectoryLockedError) return
    throw error
  }
  try {
    await replaceJsonFile(join(dir, routing), document)
  } finally {
    await unlock()
  }
}

/**
 * Moves the spools of workers that no longer exist into `dir`, the spool of worker 0, which holds its lock and has not
 * listed it yet. Throws `DirectoryLockedError` if such a worker is still ending; then call it again. Other failures
 * leave files where they are and prevent nothing.
 */
export async function adoptSpools(dir: string, workers: number, logger: Logger): Promise<void> {
  try {
    const numbers = (await readdir(dir)).flatMap((name) => numberOfSpool(name) ?? [])
    for (const number of numbers) if (number >= workers) await adopt(dir, spoolDirOf(dir, number), logger)
  } catch (error) {
    if (!(error instanceof DirectoryLockedError)) {
      logger.error({ err: error, dir }, 'the spools of a different number of workers could not be merged')
    } else if (error.isPassing) throw error
    else logger.warn({ reason: error.message }, 'spools are left as they are')
  }
}

async function adopt(dir: string, from: string, logger: Logger): Promise<void> {
  const unlock = await lockDirectory(from)
  try {
    const last = (await segmentsIn(dir)).at(-1)
    let next = last ? parseSegmentName(last)!.number + 1 : 1
    const segments = await segmentsIn(from)
    for (const name of segments) {
      await rename(join(from, name), join(dir, nameOfSegment(next++, parseSegmentName(name)!.isDamaged)))
    }
    const reports = await readText(coverageFileIn(from))
    if (reports !== undefined) {
      const own = (await readText(coverageFileIn(dir))) ?? ''
      await replaceFile(coverageFileIn(dir), `${own}\n${reports}`)
    }
    logger.info({ from, segments: segments.length }, 'took over the spool of a worker that no longer exists')
    await rm(from, { recursive: true })
  } finally {
    await unlock()
  }
}

const segmentsIn = async (dir: string) => (await readdir(dir)).filter((name) => parseSegmentName(name)).sort()

const readText = (file: string) => readFile(file, 'utf8').catch(unlessMissing)

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined // whoever reads it logs that
  }
}

/** The worker side of `off-thread.ts`: runs one job after another. */
import { parentPort } from 'node:worker_threads'
import { ApiError } from '../../runtime/api-error.ts'
import { buffersIn, type HeavyJobs, heavyJobs } from './heavy-jobs.ts'

export type JobRequest = { job: keyof HeavyJobs; args: unknown[] }
export type JobAnswer =
  | { kind: 'done'; result: unknown }
  | { kind: 'refused'; status: number; code: string; message: string }
  | { kind: 'failed'; error: unknown }

parentPort!.on('message', async ({ job, args }: JobRequest) => {
  const answer = await run(heavyJobs[job] as (...args: unknown[]) => unknown, args)
  parentPort!.postMessage(answer, buffersIn(answer))
})

async function run(job: (...args: unknown[]) => unknown, args: unknown[]): Promise<JobAnswer> {
  try {
    return { kind: 'done', result: await job(...args) }
  } catch (error) {
    // class identity is lost between threads
    if (!(error instanceof ApiError)) return { kind: 'failed', error }
    return { kind: 'refused', status: error.status, code: error.code, message: error.message }
  }
}

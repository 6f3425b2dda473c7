import { afterEach, expect, test } from 'vitest'
import type { ModelInfo } from '../model/model-info.ts'
import { OffThread } from './off-thread.ts'

const info: ModelInfo = {
  inputs: [{ name: 'x', type: 'float16', shape: [-1, 2] }],
  outputs: [{ name: 'y', type: 'float16', shape: [-1, 2] }],
  batch: { kind: 'dynamic' },
}
const request = (data: string) =>
  new TextEncoder().encode(`{"id":"a","inputs":[{"name":"x","datatype":"FP16","shape":[1,2],"data":${data}}]}`)

let thread: OffThread
afterEach(() => thread.stop())

test('gives what the job gives, and throws what it throws', async () => {
  thread = new OffThread()
  const body = request('[0.5,-2]')
  const parsed = await thread.run('parseInfer', body, undefined, info)
  expect(parsed).toMatchObject({ id: 'a', outputs: [{ name: 'y', binary: false, classes: 0 }] })
  expect(parsed.inputs.x).toEqual({ type: 'float16', shape: [1, 2], data: new Float16Array([0.5, -2]) })
  expect(body.length, 'the body has moved, not been copied').toBe(0)
  await expect(thread.run('parseInfer', request('[0.5]'), undefined, info)).rejects.toMatchObject({
    status: 400,
    code: 'BAD_INPUT',
    message: expect.stringContaining('expected 2 elements'),
  })
})

test('what cannot cross is refused, and the next job runs', async () => {
  thread = new OffThread()
  const uncrossable = { ...info, why: () => {} }
  await expect(thread.run('parseInfer', request('[1,2]'), undefined, uncrossable)).rejects.toThrow(/cloned/)
  expect((await thread.run('parseInfer', request('[1,2]'), undefined, info)).id).toBe('a')
})

test('when it stops, what waits is told', async () => {
  thread = new OffThread()
  const jobs = [1, 2, 3].map(() =>
    thread.run('parseInfer', request('[1,2]'), undefined, info).catch(({ code }) => code),
  )
  await thread.stop()
  expect(await Promise.all(jobs)).toEqual(['STOPPING', 'STOPPING', 'STOPPING'])
  await expect(thread.run('parseInfer', request('[1,2]'), undefined, info)).rejects.toMatchObject({ code: 'STOPPING' })
})

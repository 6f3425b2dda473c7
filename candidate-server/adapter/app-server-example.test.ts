import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadSection } from '../../runtime/config/load-config.ts'
import { createLogger } from '../../runtime/logger.ts'
import { candidateServerSchema } from '../config.ts'
import { type CandidateServer, startCandidateServer } from '../server.ts'
import { call, demoRows } from '../testing/start-test-server.ts'

const folder = fileURLToPath(new URL('../../deploy/examples/app-server-adapter/', import.meta.url))

let server: CandidateServer
beforeAll(async () => {
  const config = loadSection(`${folder}candidate.yaml`, 'candidateServer', candidateServerSchema)
  server = await startCandidateServer({
    config: { ...config, listen: { host: '127.0.0.1', port: 0 } },
    logger: createLogger('test', 'silent'),
    folders: [folder],
  })
})
afterAll(() => server.stop())
const predict = (body: unknown, headers?: Record<string, string>) => call(`${server.url}/predict`, body, headers)

test('the example answers like its app server, several images at a time', async () => {
  const digits = demoRows<{ image: string; label: string }>('digits').slice(0, 12)
  const { status, body } = await predict({ images: digits.map(({ image }) => image) })
  expect(status).toBe(200)
  expect(body.model).toBe('digits:student-int8')
  expect(body.predictions).toHaveLength(12)
  for (const { class: label, confidence, probabilities } of body.predictions) {
    expect(probabilities).toHaveLength(10)
    expect(confidence).toBe(Math.max(...probabilities))
    expect(label).toBe(String(probabilities.indexOf(confidence)))
  }
  const right = digits.filter(({ label }, i) => body.predictions[i].class === label)
  expect(right.length).toBeGreaterThanOrEqual(11)
})

test.each<[unknown, (string | number)[], string]>([
  [{}, ['body', 'images'], 'Field required'],
  [{ images: 'one' }, ['body', 'images'], 'Input should be a valid list of strings'],
  [{ images: [] }, ['body', 'images'], 'List should have 1 to 32 items, not 0'],
  [{ images: ['bm8='] }, ['body', 'images', 0], 'Input should be the base64 of a PNG or JPEG file'],
])('the example refuses %j in FastAPI’s own words', async (body, loc, msg) => {
  expect(await predict(body)).toMatchObject({ status: 422, body: { detail: [{ loc, msg }] } })
})

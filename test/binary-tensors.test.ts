import { expect, test } from 'vitest'
import { answeredWith, compareOutcomes } from '../comparator/compare/compare.fixture.ts'
import { readOip } from '../comparator/compare/read/read-oip.ts'
import { BodyCapture } from '../mirror/capture/body-capture.ts'
import { ByteBudget } from '../mirror/capture/byte-budget.ts'
import { observedOutcome } from '../mirror/exchange/observation-parts.ts'
import { field } from '../mirror/http1/fields.ts'
import type { OutputMapping } from '../vocabulary/mapping/output-mapping.ts'
import type { Answered } from '../vocabulary/outcome.ts'

const mapping: OutputMapping = { kind: 'regression', protocol: 'oip', value: '/p' }

/** An answer with one FP32 as the mirror delivers it: as text if its bytes happen to be valid text. */
async function delivered(value: number, headers: string[] = []): Promise<Answered> {
  const parameters = { binary_data_size: 4 }
  const json = JSON.stringify({ outputs: [{ name: 'p', datatype: 'FP32', shape: [1], parameters }] })
  const body = new BodyCapture(new ByteBudget(1e6), 1e6)
  body.add(Buffer.concat([Buffer.from(json), Buffer.from(new Float32Array([value]).buffer)]))
  const fields = [field('Inference-Header-Content-Length', String(json.length))]
  return (await observedOutcome(
    { kind: 'answered', status: 200, fields, body, ttfbMs: 1, totalMs: 1 },
    { headers, versionHeader: 'x-version', digestHeader: 'x-digest', bodyMax: 1e6 },
    () => true,
  )) as Answered
}

test.each([
  ['told where the JSON ends', ['inference-header-content-length']],
  ['not told', []],
])(
  'every number is read from the bytes of a binary tensor, whether or not they look like text (%s)',
  async (_, headers) => {
    const encodings = new Set<string>()
    for (let i = 0; i < 2000; i++) {
      const value = Math.fround(i / 20)
      const outcome = await delivered(value, headers)
      encodings.add(outcome.bodyEncoding!)
      expect(readOip(outcome)).toEqual({ kind: 'document', document: { p: [value] } })
    }
    expect(encodings).toEqual(new Set(['utf8', 'base64']))
  },
)

test('an answer whose tensor looks like text is compared', async () => {
  const outcome = await delivered(0.7)
  expect(outcome.bodyEncoding).toBe('utf8')
  const primary = answeredWith({ outputs: [{ name: 'p', datatype: 'FP32', shape: [1], data: [1] }] })
  expect(compareOutcomes(mapping, primary, outcome)).toMatchObject({
    kind: 'compared',
    candidate: { value: [Math.fround(0.7)] },
  })
})

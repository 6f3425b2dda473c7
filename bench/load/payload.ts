import type { HttpAnswer } from './connection.ts'

/** The request and response of every bench; the load generator checks every response byte for byte. */
export const path = '/predictions/bench'

/** Length of `{"pixels":[]}`. */
const frameBytes = 13
/** The longest pixel with its comma: `0.0625,`. */
const pixelBytesMax = 7

/** A model's input as JSON of exactly this length, padded with trailing white space. */
export function requestBody(bytes: number): Buffer {
  const count = Math.floor((bytes - frameBytes) / pixelBytesMax)
  const pixels = Array.from({ length: count }, (_, i) => (i % 17) / 16)
  return Buffer.from(JSON.stringify({ pixels }).padEnd(bytes, ' '))
}

/** A model's answer is small whatever its input. */
const predictions = Array.from({ length: 10 }, (_, digit) => Number((1 / (digit + 3)).toFixed(15)))
export const responseBody = Buffer.from(JSON.stringify({ model: 'bench', version: '7', predictions, label: '7' }))

/** Whether it was a 200 with exactly the primary's bytes. */
export const isExpected = (answer: HttpAnswer | undefined): boolean =>
  answer?.status === 200 && answer.body.equals(responseBody)

import type { Leg } from '../../../../vocabulary/leg.ts'
import type { ClassificationMapping } from '../../../../vocabulary/mapping/mapping-kinds.ts'
import { sideOf } from '../../../../vocabulary/mapping/mapping-side.ts'
import type { OutputMapping } from '../../../../vocabulary/mapping/output-mapping.ts'
import { stepsOf } from '../../../../vocabulary/mapping/pointer-steps.ts'
import { atRow } from '../../../../vocabulary/mapping/row-pointers.ts'

/** A response body in which this side's mapping finds an answer. */
export function exampleAnswer(mapping: OutputMapping, leg: Leg): string {
  const side = sideOf(mapping, leg) as OutputMapping
  if (side.protocol === 'plain') return 'a short answer'
  const document = documentOf(side, leg)
  if (side.protocol === 'stream') return `data: ${JSON.stringify(document)}\n\n`
  return JSON.stringify(side.protocol === 'oip' ? asTensors(document) : document)
}

function documentOf(side: OutputMapping, leg: Leg): unknown {
  switch (side.kind) {
    case 'regression':
      return put({}, atRow(side.value ?? '', 0), leg === 'primary' ? 42.1 : 41.9)
    case 'classification': {
      const { labels = ['cat', 'dog'] } = side
      const [scores, classes, label] = [side.scores, side.classes, side.label].map(
        (pointer) => pointer && atRow(pointer, 0),
      )
      const shares = labels.map((_, i) => (i === 0 ? 0.9 : round(0.1 / (labels.length - 1))))
      let document: unknown = {}
      if (scores !== undefined) {
        document = put(document, scores, classes === undefined ? scoresOf(side, labels, shares) : shares)
      }
      if (classes !== undefined) document = put(document, classes, labels)
      return label === undefined ? document : put(document, label, labels[0])
    }
    case 'embedding':
      return put({}, atRow(side.vector ?? '', 0), leg === 'primary' ? [0.12, 0.61, 0.33] : [0.11, 0.62, 0.34])
    case 'text':
      return put({}, atRow(side.text ?? '', 0), 'a short answer')
    case 'json':
      return put({}, side.document ?? '', { total: 12, currency: 'EUR' })
    case 'detection': {
      const size = side.coordinates === 'relative' ? 0.01 : 1
      const corners = [10, 10, 60, 40].map((corner) => round(corner * size))
      const { box, score, label } = side
      const [boxes = '', scores, classes] = [side.boxes, side.scores, side.classes].map(
        (pointer) => pointer && atRow(pointer, 0),
      )
      let item: unknown = box === undefined ? corners : put({}, box, corners)
      if (box !== undefined && score !== undefined) item = put(item, score, 0.9)
      if (box !== undefined && label !== undefined) item = put(item, label, 'cat')
      let document = put({}, boxes, [item])
      if (scores !== undefined) document = put(document, scores, [0.9])
      if (classes !== undefined) document = put(document, classes, ['cat'])
      return document
    }
  }
}

function scoresOf(
  { item, labels: declared }: Pick<ClassificationMapping, 'item' | 'labels'>,
  labels: string[],
  shares: number[],
) {
  if (item) return labels.map((label, i) => put(put({}, item.label, label), item.score, shares[i]))
  return declared ? shares : Object.fromEntries(labels.map((label, i) => [label, shares[i]]))
}

/** Sets the value at an RFC 6901 pointer and creates its containers; numbers are array indices. */
function put(into: unknown, pointer: string, value: unknown): unknown {
  return putAt(into, stepsOf(pointer), value)
}

function putAt(into: unknown, [name, ...below]: string[], value: unknown): unknown {
  if (name === undefined) return value
  if (/^\d+$/.test(name) && (Array.isArray(into) || isEmpty(into))) {
    const list = Array.isArray(into) ? [...into] : []
    const index = Number(name)
    for (let i = 0; i <= index; i++) list[i] = i === index ? putAt(list[i] ?? {}, below, value) : (list[i] ?? {})
    return list
  }
  const object = into as Record<string, unknown>
  return { ...object, [name]: putAt(object[name] ?? {}, below, value) }
}

const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** Converts to an Open Inference Protocol response, with one output tensor per member. */
function asTensors(document: unknown): object {
  const outputs = Object.entries(document as Record<string, unknown>).map(([name, value]) => {
    const data = Array.isArray(value) ? value.flat(9) : [value]
    const datatype = typeof data[0] === 'string' ? 'BYTES' : 'FP32'
    return { name, datatype, shape: shapeOf(value), data }
  })
  return { model_name: 'example', outputs }
}

const shapeOf = (value: unknown): number[] => (Array.isArray(value) ? [value.length, ...innerShape(value[0])] : [1])
const innerShape = (value: unknown): number[] => (Array.isArray(value) ? shapeOf(value) : [])
const round = (value: number) => Math.round(value * 1000) / 1000

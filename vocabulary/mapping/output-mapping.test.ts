import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { sideOf } from './mapping-side.ts'
import { OutputMapping } from './output-mapping.ts'

const accepts = (mapping: object) => Value.Check(OutputMapping, Value.Default(OutputMapping, structuredClone(mapping)))

describe('an output mapping', () => {
  test.each<[object]>([
    [{ kind: 'regression', value: '/prediction' }],
    [{ kind: 'classification', scores: '/predictions', labels: ['0', '1', '2'] }],
    [{ kind: 'regression', value: '/rows/*/price', candidate: { value: '/prices' } }],
    [{ kind: 'classification', label: '/class' }],
    [{ kind: 'classification', scores: '/rows/*/scores', classes: '/rows/*/labels' }],
    [{ kind: 'classification', scores: '/rows/*/p', label: '/rows/*/top' }],
    [{ kind: 'classification', scores: '/*', candidate: { protocol: 'oip', scores: '/p/*' } }],
    [{ kind: 'classification', scores: '/tags', scoreMin: 0.5, candidate: { scoreMin: 0.4 } }],
    [{ kind: 'embedding', vector: '/embedding' }],
    [{ kind: 'embedding', vector: '/data/*/embedding', candidate: { protocol: 'oip', vector: '/embeddings/*' } }],
    [{ kind: 'text', text: '/answer' }],
    [{ kind: 'text', text: '/answers/*' }],
    [{ kind: 'text', protocol: 'plain' }],
    [{ kind: 'text', text: '/answer', primary: { protocol: 'stream', text: '/choices/0/delta/content' } }],
    [{ kind: 'detection', boxes: '/images/*/boxes', scores: '/images/*/scores', candidate: { boxes: '/boxes/*' } }],
    [{ kind: 'detection', boxes: '/boxes', iouMin: 0.5 }],
    [
      {
        kind: 'detection',
        boxes: '/boxes',
        primary: { imageSize: [640, 480] },
        candidate: { coordinates: 'relative' },
      },
    ],
    [{ kind: 'json', document: '', ignore: ['/id'], tolerance: { absolute: 1e-6, relative: 1e-3 } }],
    [{ kind: 'json', document: '', ignore: ['/items/*/id'] }],
    [{ kind: 'regression', primary: { value: '/a' }, candidate: { protocol: 'oip', value: '/b/0', scale: 100 } }],
  ])('may be %j', (mapping) => {
    expect(accepts(mapping)).toBe(true)
  })

  test.each<[object]>([
    [{ kind: 'horoscope' }],
    [{ kind: 'classification', label: '/class', classes: '/labels' }],
    [{ kind: 'classification', scores: '/rows/*/scores', classes: '/labels' }],
    [{ kind: 'embedding' }],
    [{ kind: 'embedding', primary: { vector: '/a' } }],
    [{ kind: 'embedding', vector: 'no/pointer' }],
    [{ kind: 'embedding', vector: '/v', value: '/v' }],
    [{ kind: 'embedding', vector: '/v', protocol: 'soap' }],
    [{ kind: 'embedding', vector: '/v', protocol: 'plain' }],
    [{ kind: 'embedding', vector: '/data/*/v', candidate: { vector: '/v' } }],
    [{ kind: 'embedding', vector: '/data/*/v/*' }],
    [{ kind: 'text', text: '/answers/*', candidate: { text: '/answer' } }],
    [{ kind: 'text', text: '/*/answers/*' }],
    [{ kind: 'text', protocol: 'stream' }],
    [{ kind: 'text', text: '/text', whole: '/message' }],
    [{ kind: 'text', protocol: 'stream', text: '/choices/*/delta/content' }],
    [{ kind: 'json', protocol: 'stream', document: '' }],
    [{ kind: 'text', primary: { text: '/answers/*' }, candidate: { protocol: 'plain' } }],
    [{ kind: 'detection', boxes: '/images/*/boxes', classes: '/classes' }],
    [{ kind: 'regression', value: '/v', scale: 0 }],
    [{ kind: 'detection', boxes: '/boxes', iouMin: 0 }],
    [{ kind: 'detection', boxes: '/boxes', candidate: { coordinates: 'relative' } }],
    [{ kind: 'json', document: '', ignore: ['items'] }],
    [{ kind: 'regression', value: '/rows/*/prices/*' }],
    [{ kind: 'classification', scores: '/rows/*/p', label: '/top' }],
    [{ kind: 'classification', scores: '/rows/*/p', candidate: { scores: '/p' } }],
    [{ kind: 'classification', scores: '/*/rows/*/p' }],
    [{ kind: 'json', document: '', tolerance: { absolute: -1 } }],
    [{ kind: 'json' }],
    [{ kind: 'classification', scores: '/tags', candidate: { scoreMin: 0.4 } }],
    [{ kind: 'classification', label: '/tag', scoreMin: 0.5 }],
    [{ kind: 'text', text: '/a', labels: ['a', 'b'] }],
  ])('may not be %j', (mapping) => {
    expect(accepts(mapping)).toBe(false)
  })

  test('gets its defaults', () => {
    expect(Value.Default(OutputMapping, { kind: 'json', document: '' })).toEqual({
      kind: 'json',
      document: '',
      ignore: [],
      tolerance: { absolute: 0, relative: 0 },
    })
    expect(Value.Default(OutputMapping, { kind: 'detection', boxes: '' })).toMatchObject({ iouMin: 0.5 })
  })

  test('gives each side its own settings, and for the rest those for both', () => {
    const mapping = { kind: 'regression', value: '/a', scale: 2, candidate: { value: '/b' } } as const
    expect(sideOf(mapping, 'primary')).toMatchObject({ value: '/a', scale: 2 })
    expect(sideOf(mapping, 'candidate')).toMatchObject({ value: '/b', scale: 2 })
  })
})

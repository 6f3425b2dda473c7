import { expect, test } from 'vitest'
import { decodeSection } from '../../runtime/config/load-config.ts'
import { classification, regression } from '../../test/support/comparator.ts'
import { comparatorSchema } from '../config.ts'

function problemsOf(validation: object, redact: string[]) {
  const validations = [{ ...validation, store: { redact } }]
  const { problems } = decodeSection({ validations }, 'comparator', comparatorSchema, {})
  return problems.map(({ path, value, expected }) => [path, value, expected])
}
const gate = [{ metric: 'samples', min: 1 }]
const at = 'comparator.validations[0].store.redact[1]'

test.each<[string, object, string, string]>([
  ['a value', regression, '/prediction', 'output does not read (/prediction)'],
  ['what holds the scores', { ...classification, output: { kind: 'classification', scores: '/a/b' } }, '/a', '(/a/b)'],
  ['what is within the scores', classification, '/predictions/0', '(/predictions)'],
  ['any field', classification, '/*', '(/predictions)'],
  ['labels beside scores', { output: { kind: 'classification', scores: '/s', classes: '/l' }, gate }, '/l', '(/l)'],
  ['a label', { output: { kind: 'classification', label: '/class' }, gate }, '/class', '(/class)'],
  [
    "one side's value",
    { output: { kind: 'regression', value: '/v', candidate: { value: '/w' } }, gate },
    '/w',
    'output does not read (/w)',
  ],
  [
    'a further output',
    { ...regression, outputs: { sure: { kind: 'regression', value: '/sure' } } },
    '/sure',
    'outputs.sure does not read (/sure)',
  ],
  ["boxes' labels", { output: { kind: 'detection', boxes: '/b' }, gate }, '/b/*/label', '(/b/*/label)'],
  [
    'a tensor',
    { output: { kind: 'regression', protocol: 'oip', value: '/p' }, gate },
    '/outputs/0/data',
    '(/outputs/*/data)',
  ],
])('an output cannot read %s that is redacted: it would be stored beside the bodies', (_, validation, pointer, why) => {
  expect(problemsOf({ ...regression, ...validation }, ['/user', pointer])).toEqual([
    [at, pointer, expect.stringContaining(why)],
  ])
})

const root = (output: object) => ({ output, gate })
test.each<[string, object, string]>([
  ['an answer that is a number', root({ kind: 'regression', value: '' }), '/user/name'],
  ['an answer that is scores', root({ kind: 'classification', scores: '' }), '/user/name'],
  ['scores of declared labels', root({ kind: 'classification', scores: '', labels: ['cat', 'dog'] }), '/user'],
  ['an answer that is boxes', root({ kind: 'detection', protocol: 'torchserve', boxes: '' }), '/user'],
])('%s allows redacting a field of the request, as it cannot have that field', (_, validation, pointer) => {
  expect(problemsOf({ ...regression, ...validation }, [pointer])).toEqual([])
})

test.each<[string, object, string]>([
  ['a number of an answer', root({ kind: 'regression', value: '' }), '/0'],
  ['scores in lists', root({ kind: 'classification', scores: '' }), '/0/score'],
  ['any score', root({ kind: 'classification', scores: '', labels: ['cat', 'dog'] }), '/*'],
  ['a score by its label', root({ kind: 'classification', scores: '', labels: ['cat', 'dog'] }), '/dog'],
  ['what may be a label', root({ kind: 'classification', scores: '' }), '/user'],
  ["a box's label", root({ kind: 'detection', boxes: '' }), '/0/label'],
])('%s cannot be redacted: it is stored as part of an output', (_, validation, pointer) => {
  expect(problemsOf({ ...regression, ...validation }, [pointer])).toHaveLength(1)
})

test.each<[string, object, string]>([
  ['another field', regression, '/predictions'],
  ['a text', { output: { kind: 'text', text: '/answer' }, gate }, '/answer'],
  ['a document', { output: { kind: 'json', document: '' }, gate }, '/name'],
  ['an embedding', { output: { kind: 'embedding', vector: '/v' }, gate }, '/v'],
  ["boxes' places", { output: { kind: 'detection', boxes: '/b' }, gate }, '/b/*/box'],
])('%s may be redacted: it is stored only with the bodies', (_, validation, pointer) => {
  expect(problemsOf({ ...regression, ...validation }, [pointer])).toEqual([])
})

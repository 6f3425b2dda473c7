import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { configuration } from './rows.fixture.ts'
import { configText, editConfig } from './write-config.ts'

describe('the config', () => {
  const tuned = { ...configuration, graphOptimization: 'extended' as const }
  const model = { file: '/srv/models/student.onnx', name: 'unused', entry: {} }

  test('keeps comments, order, references and other sections, and changes only what was tuned', () => {
    const text = `# ours
mirror:
  primary: http://127.0.0.1:9000 # the GPUs
  comparator: { url: http://127.0.0.1:7070, token: \${TOKEN} }
candidateServer:
  # two cores
  cpu: { instances: auto, allocator: auto, straddleNuma: true } # by hand
  models:
    - name: other
      path: \${OTHER:-./other.onnx}
    # the student
    - name: digits
      path: ./models/student.onnx
      batch: { sizeMax: 8 }
      threads: 4
      adapter: image
`
    const edited = editConfig('/srv/understudy.yaml', text, tuned, model)
    for (const kept of [
      '# ours',
      '# the GPUs',
      'token: ${TOKEN}',
      '# two cores',
      '# by hand',
      '${OTHER:-./other.onnx}',
      '# the student',
    ])
      expect(edited).toContain(kept)
    const { mirror, candidateServer } = parse(edited.replaceAll('${TOKEN}', 'TOKEN'))
    expect(mirror.primary).toBe('http://127.0.0.1:9000')
    expect(candidateServer.cpu).toEqual({
      instances: 'auto', // applies to the other model too
      allocator: 'jemalloc',
      straddleNuma: true,
      spinning: 'auto',
      hugePages: false,
    })
    expect(candidateServer.models[0]).toEqual({ name: 'other', path: '${OTHER:-./other.onnx}' })
    expect(candidateServer.models[1]).toMatchObject({
      name: 'digits',
      path: './models/student.onnx',
      adapter: 'image',
      instances: 2,
      threads: 1,
      batch: { sizeMax: 4, delayMax: '1ms' },
      session: { graphOptimization: 'extended' },
    })
    expect(editConfig('/srv/understudy.yaml', edited, tuned, model)).toBe(edited)
    const back = editConfig('/srv/understudy.yaml', edited, configuration, model)
    expect(parse(back.replaceAll('${TOKEN}', 'TOKEN')).candidateServer.models[1].session.graphOptimization).toBe('all')
  })

  test('is created if there is none, and the model added if it is missing', () => {
    const made = editConfig('/srv/new.yaml', '', configuration, {
      ...model,
      name: 'student',
      entry: { adapter: 'image' },
    })
    expect(parse(made).candidateServer).toMatchObject({
      cpu: { instances: 2, threads: 1 },
      models: [{ name: 'student', path: '/srv/models/student.onnx', adapter: 'image', batch: { sizeMax: 4 } }],
    })
    const added = editConfig('/srv/new.yaml', made, configuration, { ...model, file: '/srv/b.onnx', name: 'b' })
    expect(parse(added).candidateServer.models).toMatchObject([{ name: 'student' }, { name: 'b', instances: 2 }])
    expect(parse(configText(configuration, { ...model, name: 'student' })).candidateServer.models).toHaveLength(1)
  })

  const served = `candidateServer:
    listen: 127.0.0.1:8090
    models:
    -   name: digits
        path: /srv/models/student.onnx
`
  const flow = `candidateServer:
  models: # served
      - name: digits
        path: /srv/models/student.onnx
`
  test.each([
    [
      'lists as far to the left as their keys',
      `mirror:\n    routes:\n    - path: /a # one\n      methods: [ POST ]\n${served}`,
    ],
    ['lists of one indentation here and another there', `mirror:\n    routes:\n      - path: /a\n${served}`],
    ['lists farther to the right', flow],
    [
      'folded text',
      `mirror:\n  notes:\n      - one\n      - >-\n          folded\n          text\n      - plain\n        text\n${flow}`,
    ],
    [
      'empty lines and comments anywhere',
      `\n\n# ours\nmirror:  # of ours\n  # below\n\n\n  primary: "x"   # GPUs\n # here\n${flow}\n\n# end\n`,
    ],
    ['a last line without an end', flow.trimEnd()],
  ])('leaves every line as it is, to the last space: %s', (_, text) => {
    const edited = editConfig('f.yaml', text, configuration, model)
    const isOurs = (line: string) =>
      /^ +(batch|sizeMax|delayMax|cpu|instances|threads|allocator|spinning|hugePages):/.test(line)
    expect(
      edited
        .split('\n')
        .filter((line) => !isOurs(line))
        .join('\n'),
    ).toBe(text.endsWith('\n') ? text : `${text}\n`)
    expect(parse(edited).candidateServer).toMatchObject({ cpu: { instances: 2 }, models: [{ batch: { sizeMax: 4 } }] })
    expect(editConfig('f.yaml', edited, configuration, model)).toBe(edited)
  })

  test('keeps the spaces within lines that it does not change', () => {
    const text = `mirror:
  routes:
    - path: /a   # first
      methods: [POST, "GET"]
candidateServer:
  cpu: {instances: 1}
  models:
    - name: digits
      path: "/srv/models/student.onnx"
      labels: [yes, no]   # in this order
    - name: spaces
      path: other.onnx
      labels: ['a  b', c]
    - name: space
      path: other.onnx
      labels: ['a b', c]
`
    const made = editConfig('f.yaml', text, configuration, model)
    const isKept = (line: string) => !/cpu:|'a +b'/.test(line)
    expect(made.split('\n')).toEqual(expect.arrayContaining(text.split('\n').filter(isKept)))
    // which of these two lines is meant could not be told
    const { models } = parse(made).candidateServer
    expect(models.slice(1)).toMatchObject([{ labels: ['a  b', 'c'] }, { labels: ['a b', 'c'] }])
  })

  test('keeps the line ends of another system', () => {
    const text =
      'mirror:\n  primary: http://127.0.0.1:9000\n# ours\ncandidateServer:\n  models:\n  - { name: a, path: a }\n'
    const made = editConfig('f.yaml', text.replaceAll('\n', '\r\n'), configuration, model)
    expect(made).toBe(editConfig('f.yaml', text, configuration, model).replaceAll('\n', '\r\n'))
  })

  test('keeps the end of each line that it does not change, and a byte order mark', () => {
    const lines = [
      '\uFEFFmirror:\n',
      '  primary: http://127.0.0.1:9000   # ours\r\n',
      '\n',
      'candidateServer:\r\n',
      '\r\n',
      '  models:\n',
      '    - name: digits\n',
      '      path: /srv/models/student.onnx\n',
    ]
    const made = editConfig('f.yaml', lines.join(''), configuration, model)
    for (const line of lines) expect(made).toContain(line)
    expect(made.replaceAll('\r', '').slice(1)).toBe(
      editConfig('f.yaml', lines.join('').replaceAll('\r', '').slice(1), configuration, model),
    )
    expect(made).toContain('    instances: 2\n')
  })

  test.each([
    'candidateServer:',
    'candidateServer: null # empty',
    'candidateServer:\n  models: # none yet\n',
    'candidateServer:\n  # below\n  cpu:\n    # nor here\n  models:\n',
    'candidateServer:\n  models:\n    # none yet\n',
    '# nothing yet',
  ])('is filled in where %s', (text) => {
    const made = editConfig('f.yaml', text, configuration, model)
    expect(parse(made).candidateServer).toMatchObject({ cpu: { instances: 2 }, models: [{ name: 'unused' }] })
    for (const comment of text.match(/#.*/g) ?? []) expect(made).toContain(comment)
  })

  test.each(['candidateServer: 3', 'candidateServer: []', '[1]', 'text', 'a: &a { cpu: {} }\ncandidateServer: *a'])(
    'is refused where %s',
    (text) => {
      expect(() => editConfig('f.yaml', text, configuration, model)).toThrow(
        expect.objectContaining({ message: expect.stringContaining('f.yaml: expected keys'), exitCode: 2 }),
      )
    },
  )

  test.each(['{ a: { path: a } }', '[~]', '3'])('is refused where its models are %s', (models) => {
    expect(() => editConfig('f.yaml', `candidateServer: { models: ${models} }`, configuration, model)).toThrow(
      expect.objectContaining({ message: 'f.yaml: expected a list of models, each with keys and values', exitCode: 2 }),
    )
  })

  test('has no model counts that would override those of cpu:', () => {
    const text = 'candidateServer: { models: [{ name: digits, path: /srv/models/student.onnx, threads: 4 }] }'
    expect(parse(editConfig('f.yaml', text, configuration, model)).candidateServer).toMatchObject({
      cpu: { instances: 2, threads: 1 },
      models: [{ threads: 1 }],
    })
  })

  test('is refused, not damaged, if it is not a config', () => {
    expect(() => editConfig('f.yaml', 'candidateServer: [', configuration, model)).toThrow('valid YAML')
    const wrong = 'candidateServer: { lisen: 1, models: [{ name: digits, path: /srv/models/student.onnx }] }'
    expect(() => editConfig('f.yaml', wrong, configuration, model)).toThrow('lisen')
  })
})

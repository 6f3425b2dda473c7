/** What cannot work is refused at the start, with a message that says what to do. */
import {
  copyFileSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { extraKeys } from './config/session.ts'
import { isaFlags } from './cpu/isa-flags.ts'
import { batchLimits } from './fleet/batch-limits.ts'
import { builds, refuseSystem } from './instance/refuse-system.ts'
import { loadHere } from './testing/load-here.ts'
import { call, startTestServer, testConfig, testModel } from './testing/start-test-server.ts'

function copyOf(...files: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-refused-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const file of files) copyFileSync(join(dirname(testModel('sum')), file), join(folder, file))
  return join(folder, files[0]!)
}
const serve = (path: string, more: Record<string, unknown> = {}) =>
  startTestServer({ models: [{ name: 'm', path, ...more }] })

test('of a missing model, every place where it was looked for is named', async () => {
  const started = (path: string) =>
    startTestServer(
      { models: [{ name: 'm', path }] },
      { folders: ['/nowhere/started', '/nowhere/config', '/nowhere/started'] },
    )
  await expect(started('./m.onnx')).rejects.toThrow(
    /^model m: no file can be read at \/nowhere\/started\/m\.onnx, nor at \/nowhere\/config\/m\.onnx; check/,
  )
  await expect(started('/m.onnx')).rejects.toThrow('model m: no file can be read at /m.onnx; check')
})

test.each([
  ['bfloat16 inputs', () => testModel('bfloat16'), /uses bfloat16.*export it as float32 or float16/],
  ['bfloat16 weights', () => testModel('bfloat16-inside'), /uses bfloat16.*export it as float32 or float16/],
  [
    'a list of maps, as scikit-learn models have by default',
    () => testModel('zipmap'),
    /output probabilities is a sequence, a map or optional, not a tensor; .*options=\{'zipmap': False\}/,
  ],
  [
    'a list of tensors',
    () => testModel('list-of-tensors'),
    /output probabilities is a list of tensors, not one tensor; join it in the graph \(ConcatFromSequence\), or/,
  ],
  ['a model without outputs', () => testModel('no-outputs'), /has no outputs; export it with some/],
  [
    'an output of a name that its binding cannot give',
    () => testModel('output-proto'),
    /has an output called __proto__, which .*; rename it/,
  ],
  [
    'an element type of four bits',
    () => testModel('int4'),
    /output y has the element type int4, which is not served; cast it/,
  ],
  [
    'an element type that the runtime’s binding has not',
    () => testModel('float8'),
    /element type that is not served; cast it/,
  ],
  [
    'an opset too new',
    () => testModel('future-opset'),
    /opset 99.*newer than ONNX Runtime \d.* knows \(\d+\).*lower opset_version/,
  ],
  [
    'an IR version too new',
    () => testModel('future-ir'),
    /has IR version 99, newer than ONNX Runtime \d.* knows \((\d+)\); .*model\.ir_version = \1/,
  ],
  [
    'an opset of the ML domain too new',
    () => testModel('future-ml-opset'),
    /has opset 99 of ai\.onnx\.ml, newer than .* knows \((\d)\); .*target_opset=\{'': 17, 'ai\.onnx\.ml': \1\}/,
  ],
  [
    'a custom operator',
    () => testModel('custom-operator'),
    /has the operator com\.acme:Tokens, which .*export the model without it/,
  ],
  [
    'an operator that its opset has not',
    () => testModel('no-such-operator'),
    /needs an operator .*another opset than 17 \(.*Frobnicate/,
  ],
  [
    'texts in a locale that is not here',
    () => testModel('far-locale'),
    /the locale xx_XX\.UTF-8, which this machine does not have; install it \(.*localedef -i xx_XX -f UTF-8 xx_XX\.UTF-8/,
  ],
  [
    'an input of any number of dimensions',
    () => testModel('no-rank'),
    /does not tell how many dimensions its input b has; write its shape/,
  ],
  [
    'external data that is missing',
    () => copyOf('external.onnx', 'external-a.data'),
    /external-b\.data is missing; copy all files of the export into one folder/,
  ],
])('%s', async (_, path, message) => {
  await expect(loadHere(path())).rejects.toThrow(message)
})

test('by the server, with the model’s name in front', async () => {
  await expect(serve(testModel('zipmap'))).rejects.toThrow(/^model m: .*zipmap\.onnx|^model m: output probabilities/)
})

test.each([
  ['an empty file', '', /it is an empty file; copy/],
  ['a pointer of Git LFS', 'version https://git-lfs.github.com/spec/v1\noid sha256:4d', /Git LFS; .*git lfs pull/],
  ['a PyTorch file', 'PK\x03\x04\0\0', /zip archive, as \.pt .*torch\.onnx\.export/],
  ['a pickled pipeline', '\x80\x04\x95\0\0', /Python pickle; .*skl2onnx/],
  ['a compressed file', '\x1f\x8b\x08\0', /compressed; unpack it/],
  ['a safetensors file', '\x08\0\0\0\0\0\0\0{"a":{} ', /safetensors.*optimum-cli/],
  ['a model in the ORT format', '\x1c\0\0\0ORTM\0\0', /ORT format; serve the \.onnx file/],
  ['a web page', '<!DOCTYPE html><html>', /a web page; download/],
  ['a booster of LightGBM', 'tree\nversion=v4\n', /LightGBM.*convert_lightgbm/],
  ['a booster of XGBoost', '{L\0\0\0\0\0\0\0\x07learner', /XGBoost.*convert_xgboost/],
])('%s instead of a model', async (_, content, message) => {
  const path = copyOf('sum.onnx')
  writeFileSync(path, content, 'latin1')
  await expect(loadHere(path)).rejects.toThrow(message)
})

test('a truncated model', async () => {
  const path = copyOf('sum.onnx')
  truncateSync(path, 60)
  await expect(loadHere(path)).rejects.toThrow(
    /a field is longer than its message, as where a file was cut short; check/,
  )
})

test('truncated external data', async () => {
  const path = copyOf('external.onnx', 'external-a.data', 'external-b.data')
  writeFileSync(join(dirname(path), 'external-a.data'), 'x')
  await expect(loadHere(path)).rejects.toThrow(/external-a\.data has 1 bytes of at least 8/)
})

test('batches larger than the model’s fixed first dimension', async () => {
  await expect(serve(testModel('fixed-batch'), { batch: { sizeMax: 8 } })).rejects.toThrow(
    /batch\.sizeMax is 8, and the first dimension of its inputs is fixed at 4; export it with a dynamic first dimension.*or set batch\.sizeMax: 4/,
  )
})

test.each([
  ['no-batch', /\(x \[\] → y \[\]\)/],
  ['mean-of-rows', /\(x \[any, 2\] → mean \[1, 2\]\)/],
  ['one-image', /\(image \[1, 3, 2, 2\] → scores \[12\]\)/],
  ['one-image-any-rows', /\(image \[1, 3, 2, 2\] → places \[any, 4\]\)/],
])('batches of %s, whose outputs do not have one row per input row', async (name, shapes) => {
  const { model } = await loadHere(testModel(name))
  const limits = (batch: object) =>
    batchLimits(testConfig({ models: [{ name: 'm', path: testModel(name), batch }] }).models[0]!, model)
  expect(() => limits({ sizeMax: 8 })).toThrow(shapes)
  expect(() => limits({ sizeMax: 8 })).toThrow(
    /batch\.sizeMax is 8, and requests cannot share.*export it with one dynamic first dimension of all.*or leave batch\.sizeMax out/,
  )
  for (const batch of [{}, { sizeMax: 1 }]) expect(() => limits(batch)).not.toThrow()
})

test('more threads than cores', async () => {
  await expect(serve(testModel('sum'), { instances: 100, threads: 10 })).rejects.toThrow(
    /100 instance\(s\) × 10 thread\(s\) need 1000 cores and there are \d+/,
  )
})

test('a system without an ONNX Runtime', () => {
  expect(() => refuseSystem({ platform: 'linux', arch: 'x64', glibc: undefined })).toThrow(
    /musl instead of glibc.*bookworm-slim/,
  )
  expect(() => refuseSystem({ platform: 'linux', arch: 'arm64', glibc: '2.36' })).not.toThrow()
  expect(() => refuseSystem({ platform: 'darwin', arch: 'arm64', glibc: undefined })).not.toThrow()
  expect(() => refuseSystem({ platform: 'darwin', arch: 'x64', glibc: undefined })).toThrow(
    /no ONNX Runtime for darwin on x64.*container/,
  )

  const [bindings] = globSync('onnxruntime-node/bin/*', { cwd: 'node_modules' })
  expect(
    globSync(`${bindings}/*/*`, { cwd: 'node_modules' })
      .map((path) => path.split('/').slice(-2).join(' '))
      .sort(),
  ).toEqual(builds)
})

test('8-bit models whose sums saturate on this CPU are served with a warning, which the accurate kernels avoid', async () => {
  const saturates = process.arch === 'x64' && isaFlags().length > 0 && !isaFlags().some((flag) => flag.endsWith('vnni'))
  const codesOf = async (more = {}, name = 'qdq-u8s8') => {
    const server = await serve(testModel(name), more)
    onTestFinished(() => server.stop())
    return (await call(`${server.url}/plan`)).body.warnings.map(({ code }: { code: string }) => code)
  }
  expect((await codesOf()).includes('INT8_WITHOUT_VNNI')).toBe(saturates)
  expect(await codesOf({ session: { extra: { 'session.x64quantprecision': true } } })).not.toContain(
    'INT8_WITHOUT_VNNI',
  )
  expect(await codesOf({}, 'qdq-u8s7')).not.toContain('INT8_WITHOUT_VNNI')
  expect(await codesOf({}, 'qdq-u8u8')).not.toContain('INT8_WITHOUT_VNNI')
})

test('every session entry on the list is known to the runtime', () => {
  const folder = join(import.meta.dirname, '../node_modules/onnxruntime-node/bin/napi-v6/linux')
  const binaries = ['x64', 'arm64'].flatMap((arch) =>
    readdirSync(join(folder, arch))
      .filter((file) => file.startsWith('libonnxruntime.so'))
      .map((file) => readFileSync(join(folder, arch, file))),
  )
  expect(binaries.length).toBeGreaterThan(0)
  for (const key of Object.keys(extraKeys))
    expect(
      binaries.some((binary) => binary.includes(key)),
      key,
    ).toBe(true)
})

test('a mismatch with the model is reported without needless detail', async () => {
  await expect(serve(testModel('all-pairs'), { batch: { sizeMax: 8 } })).rejects.toThrow(
    /\(a \[any, 2\], b \[any, 2\] → scores \[any, any\]\); leave batch\.sizeMax out$/,
  )
  const models = [{ name: 'm', path: testModel('no-inputs'), dispatch: { by: 'length', groups: [{}] } }]
  await expect(startTestServer({ cpu: {}, models })).rejects.toThrow(
    'model m: dispatch.by is length, and it has no inputs; leave dispatch out',
  )
})

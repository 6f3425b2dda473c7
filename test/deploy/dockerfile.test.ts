import { existsSync, globSync, statSync } from 'node:fs'
import { dirname, join, matchesGlob } from 'node:path'
import { describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { read, root, yaml } from './deployed.ts'

describe('the Dockerfile', () => {
  const ignored = read('deploy/Dockerfile.dockerignore').split('\n')
  const letIn = ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  const leftOut = ignored.filter((line) => /^[^#!]/.test(line) && line !== '*')
  const isSent = (file: string) =>
    letIn.includes(file.split('/')[0]!) &&
    !leftOut.some((pattern) => matchesGlob(file, pattern) || matchesGlob(file, `${pattern}/**`))

  test('gets from the checkout an allow-list that exists, and copies all of it', () => {
    expect(ignored.find((line) => line !== '' && !line.startsWith('#'))).toBe('*')
    expect(letIn.filter((source) => !existsSync(join(root, source)))).toEqual([])
    const copied = [...read('deploy/Dockerfile').matchAll(/^COPY (?!--from)(.*)$/gm)].map(([, paths]) => paths)
    expect(copied).toEqual(['package.json package-lock.json .npmrc ./', '. .', '. /opt/understudy'])
  })

  test('gets everything that a service imports', () => {
    const needed = globSync('{candidate-server,cli,comparator,mirror}/**/*.{ts,tsx}', { cwd: root })
      .filter(isSent)
      .flatMap((file) =>
        [...read(file).matchAll(/['"](\.{1,2}\/[\w./-]*\w)['"]/g)].map(([, path]) => join(dirname(file), path!)),
      )
      .filter((path) => existsSync(join(root, path)) && statSync(join(root, path)).isFile())
    // installed packages, and the demo's data, which no service reads
    expect(needed.filter((path) => !isSent(path) && !/^(node_modules|deploy)\//.test(path))).toEqual([])
    expect(new Set(needed.map((path) => path.split('/')[0])).size).toBeGreaterThan(6)
  })

  test('gets no test, and no key or model that only tests use', () => {
    const files = globSync('{candidate-server,cli,comparator,mirror,runtime,vocabulary}/**/*', { cwd: root })
    const ofTests = files.filter((file) => /\.(test|fixture)\.tsx?$|\.(pem|onnx)$|\/testing\//.test(file))
    expect(ofTests.length).toBeGreaterThan(100)
    expect(ofTests.filter(isSent)).toEqual([])
  })

  test('leaves out the parts of ONNX Runtime and Node it does not need, by their actual paths', () => {
    const installed = (pattern: string) => globSync(`node_modules/${pattern}`, { cwd: root })
    expect(installed('onnxruntime-node/bin/*/linux/*/libonnxruntime.so.1').length).toBeGreaterThan(0)
    expect(installed('onnxruntime-node/bin/*/win32/*/onnxruntime.dll').length).toBeGreaterThan(0)
    expect(installed('node/node_modules/*/include')).toHaveLength(1)
  })

  test('starts the command as nobody and without a shell, which would swallow signals', () => {
    const text = read('deploy/Dockerfile')
    expect(text).toMatch(/^ENTRYPOINT \["tini", "--", "understudy"\]$/m)
    expect(text).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m)
  })

  test('and every reference to its image has this version', () => {
    const named = ['deploy/Dockerfile', 'deploy/compose.yaml', 'deploy/README.md'].flatMap((file) =>
      [...read(file).matchAll(/understudy:(\d\S*)/g)].map(([, version]) => version),
    )
    const tags = yaml('deploy/kubernetes/kustomization.yaml').images.map(({ newTag }: { newTag: string }) => newTag)
    expect(named.length).toBeGreaterThanOrEqual(3)
    expect([...new Set([...named, ...tags])]).toEqual([packageJson.version])
  })
})

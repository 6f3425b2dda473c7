/** A model's file, and the files beside it that its weights may lie in. */
import { createHash } from 'node:crypto'
import { createReadStream, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, normalize, relative, sep } from 'node:path'
import type { ModelFile } from './model-file.ts'
import { readWhole } from './read-whole.ts'

/** Files that are missing or too short, or lie where a model may not reach; each with what is wrong. */
export function externalDataProblems(path: string, { externalData }: Pick<ModelFile, 'externalData'>): string[] {
  return [...externalData].flatMap(([location, bytes]) => {
    if (isAbsolute(location) || normalize(location).startsWith('..')) return [`${location} is not beside the model`]
    const file = join(dirname(path), location)
    const stat = statSync(file, { throwIfNoEntry: false })
    if (!stat?.isFile()) return [`${location} is ${stat ? 'no file' : 'missing'}`]
    if (!isBeside(path, file)) return [`${location} is a link that leads away from the model`]
    return stat.size < bytes ? [`${location} has ${stat.size} bytes of at least ${bytes}`] : []
  })
}

/**
 * A model's answers tell what is in such a file, so no link in somebody's archive may name a secret of this machine. Where
 * the model is a link itself, as in caches and in volumes of Kubernetes, its files may lie where that leads.
 */
function isBeside(model: string, file: string): boolean {
  const folders = [realpathSync(dirname(model)), dirname(realpathSync(model))]
  const found = realpathSync(file)
  return folders.some((folder) => relative(folder, found).split(sep, 1)[0] !== '..')
}

/**
 * `sha256:` and the digest in hex of the file followed by its external data in the order of their names, so that
 * `cat model.onnx a.data b.data | sha256sum` gives the same.
 */
export async function digestModel(path: string, externalData: Iterable<string>): Promise<string> {
  const hash = createHash('sha256')
  for (const file of filesOf(path, externalData)) {
    for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) hash.update(chunk)
  }
  return `sha256:${hash.digest('hex')}`
}

/** Another text once one of the same files has been written, or another one has taken its place. */
export const stateOf = (path: string, externalData: Iterable<string>): string =>
  filesOf(path, externalData)
    .map((file) => statSync(file, { bigint: true, throwIfNoEntry: false }))
    .map((stat) => `${stat?.size} ${stat?.mtimeNs} ${stat?.ctimeNs}`)
    .join()

const filesOf = (path: string, externalData: Iterable<string>) => [
  path,
  ...[...externalData].sort().map((location) => join(dirname(path), location)),
]

/**
 * By itself the runtime maps these files, and what is copied over one of them while it serves would change its answers
 * (measured, 1.30); of what it is given in memory it makes its own copy.
 */
export function readExternalData(path: string, { externalData }: Pick<ModelFile, 'externalData'>) {
  return [...externalData.keys()].map((location) => ({
    path: `./${location}`, // the binding takes one ./ off, be it the model's own
    data: readWhole(join(dirname(path), location)),
  }))
}

/** A model's file and the files beside it that may hold its weights. */
import { createHash } from 'node:crypto'
import { createReadStream, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, normalize, relative, sep } from 'node:path'
import type { ModelFile } from './model-file.ts'
import { readWhole } from './read-whole.ts'

/** Describes each file that is missing, too short, or outside the folder that a model may reach. */
export function externalDataProblems(path: string, { externalData }: Pick<ModelFile, 'externalData'>): string[] {
  return [...externalData].flatMap(([location, bytes]) => {
    const isElsewhere = isAbsolute(location) || normalize(location).split(sep, 1)[0] === '..'
    if (isElsewhere) return [`${location} is not beside the model`]
    const file = join(dirname(path), location)
    const stat = statSync(file, { throwIfNoEntry: false })
    if (!stat?.isFile()) return [`${location} is ${stat ? 'no file' : 'missing'}`]
    if (!isBeside(path, file)) return [`${location} is a link that leads away from the model`]
    return stat.size < bytes ? [`${location} has ${stat.size} bytes of at least ${bytes}`] : []
  })
}

/**
 * Answers reveal what is in such a file, so a link in a downloaded archive must not point to a secret on this machine.
 * If the model itself is a link, as in caches and Kubernetes volumes, its files may lie beside the link's target.
 */
function isBeside(model: string, file: string): boolean {
  const folders = [realpathSync(dirname(model)), dirname(realpathSync(model))]
  const found = realpathSync(file)
  return folders.some((folder) => relative(folder, found).split(sep, 1)[0] !== '..')
}

/**
 * `sha256:` and the hex digest of the file followed by its external data in order of their names, the same as `cat
 * model.onnx a.data b.data | sha256sum` gives.
 */
export async function digestModel(path: string, externalData: Iterable<string>): Promise<string> {
  const hash = createHash('sha256')
  for (const file of filesOf(path, externalData)) {
    for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) hash.update(chunk)
  }
  return `sha256:${hash.digest('hex')}`
}

/** A text that changes when one of the files is written or replaced. */
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
 * By default the runtime maps these files, so overwriting one while it is served would change the answers (measured,
 * 1.30). The runtime copies data that is passed in memory.
 */
export function readExternalData(path: string, { externalData }: Pick<ModelFile, 'externalData'>) {
  return [...externalData.keys()].map((location) => ({
    path: `./${location}`, // the binding strips one leading ./, even from the file's own name
    data: readWhole(join(dirname(path), location)),
  }))
}

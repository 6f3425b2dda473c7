import { numberedEntries, readSysFile } from './sys-file.ts'

/** Direct children, as the kernel lists them now; [] if it does not. */
export const childrenOf = (pid: number): number[] =>
  numberedEntries(`/proc/${pid}/task`, '')
    .flatMap((thread) => readSysFile(`/proc/${pid}/task/${thread}/children`)?.split(' ') ?? [])
    .filter((child) => child !== '')
    .map(Number)

/** Children, grandchildren and so on. */
export const descendantsOf = (pid: number): number[] =>
  childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)])

import { numberedEntries, readSysFile } from './sys-file.ts'

/** As the kernel tells them now; [] where it does not. */
export const childrenOf = (pid: number): number[] =>
  numberedEntries(`/proc/${pid}/task`, '')
    .flatMap((thread) => readSysFile(`/proc/${pid}/task/${thread}/children`)?.split(' ') ?? [])
    .filter((child) => child !== '')
    .map(Number)

/** Its children, theirs, and so on. */
export const descendantsOf = (pid: number): number[] =>
  childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)])

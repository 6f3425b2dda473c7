import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Half of the CPU of a service's start goes into the TypeScript of modules that have not changed. Beside the packages,
// since what lies in a common /tmp another user could have written; where that is read-only Node does without.
process.env.NODE_COMPILE_CACHE ||= join(import.meta.dirname, '../node_modules/.cache/node')
enableCompileCache(process.env.NODE_COMPILE_CACHE)

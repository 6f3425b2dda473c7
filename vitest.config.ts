import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const testsIn = (folder: string) => `${folder}/**/*.test.ts`

/** Functions and values, and the mirror's parts: their files may share a process, and what it has loaded. */
const plain = [
  'candidate-server/{cpu,protocol,tensor}',
  'comparator/{compare,config,dashboard,gate,metrics,promotion,statistics}',
  'mirror/{capture,comparator-client,config,delivery,exchange,forward,front-door,http-proxy,http1,ledger,observe,routing,shadow,upstream}',
  'runtime',
  'vocabulary',
].map(testsIn)

/**
 * Whole mirrors and commands, and parts of the candidate server: none counts what its own process has started. Two files
 * of the mirror replace a module that the others have loaded.
 */
const sharingProcesses = [
  ...['candidate-server/{batch,http,model}', 'cli'].map(testsIn),
  'mirror/**/!(exhausted-system|silent-address).test.ts',
]

/** Servers and commands that reach no database, or only their own. */
const withoutDatabase = [
  ...['candidate-server', 'cli', 'mirror', 'test/{deploy,faults,fuzz,tritonclient}'].map(testsIn),
  'test/{commands,demo,documents}.test.ts',
]

/** Replaces a module that other tests have loaded too, and so needs a process of its own. */
const replacingModules = ['comparator/store/database/open-database.test.ts']

const preparedDatabases = 'test/support/prepared-databases.ts'

const others = ['**/node_modules/**', '**/*.browser.test.ts', 'bench/**']

/** The tests start hundreds of our processes: a third of a start's CPU goes into the same TypeScript again. */
export const env = { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node') }

/** They end only what hangs: on a busy machine any test may take thirty times as long as alone. */
export const limits = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // as `waitMsMax` of runtime/testing/wait-for.ts
  expect: { poll: { timeout: 120_000 } },
}

export default defineConfig({
  test: {
    env,
    ...limits,
    // one more than the cores of a small machine: a third of the time tests wait for processes and deadlines
    maxWorkers: 3,
    projects: [
      { extends: true, test: { name: 'plain', include: plain, exclude: others, isolate: false } },
      {
        extends: true,
        test: {
          name: 'processes',
          globalSetup: preparedDatabases,
          include: sharingProcesses,
          exclude: [...others, ...plain],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'processes-isolated',
          globalSetup: preparedDatabases,
          include: withoutDatabase,
          exclude: [...others, ...plain, ...sharingProcesses],
        },
      },
      {
        extends: true,
        test: {
          name: 'database',
          globalSetup: preparedDatabases,
          include: ['**/*.test.ts'],
          exclude: [...others, ...plain, ...withoutDatabase, ...replacingModules],
          // loading our code and the embedded database's takes each process more than a second of CPU
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'database-isolated', globalSetup: preparedDatabases, include: replacingModules },
      },
    ],
  },
})

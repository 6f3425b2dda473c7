import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // the tests start hundreds of our processes: a third of a start's CPU goes into the same TypeScript again
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node') },
    globalSetup: 'test/support/empty-database.ts',
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/*.browser.test.ts', 'bench/**'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    maxWorkers: 2,
  },
})

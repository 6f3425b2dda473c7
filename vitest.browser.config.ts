import { defineConfig } from 'vitest/config'
import { env, limits } from './vitest.config.ts'

export default defineConfig({
  test: {
    env,
    globalSetup: 'test/support/prepared-databases.ts',
    include: ['test/**/*.browser.test.ts'],
    ...limits,
    maxWorkers: 2,
  },
})

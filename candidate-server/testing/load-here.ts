/** For tests: loads a model as an instance does, in the test's own process. */
import { loadModel } from '../instance/load-model.ts'
import { testConfig } from './start-test-server.ts'

export const loadHere = (path: string) =>
  loadModel({
    path,
    threads: 1,
    spinning: 'never',
    session: testConfig({ models: [{ name: 'any', path }] }).models[0]!.session,
    warmUp: { rows: 1, length: 1 },
    exchange: false,
  })

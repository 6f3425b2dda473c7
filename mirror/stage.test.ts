import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../runtime/clock.ts'
import { createLogger } from '../runtime/logger.ts'
import { ByteBudget } from './capture/byte-budget.ts'
import { createGuard } from './guard.ts'
import { Ledger } from './ledger/ledger.ts'
import { allPrimary } from './routing/follow-routing.ts'
import { Stage, type StageContext } from './stage.ts'
import { mirrorConfig } from './testing/mirror-under-test.ts'

test('a request whose end could not be recorded is over all the same, and the stage can close', async () => {
  const logger = createLogger('mirror', 'silent')
  const faults: string[] = []
  const context: StageContext = {
    clock: systemClock,
    logger,
    quietLogger: logger,
    quietBefore: [],
    budget: new ByteBudget(1000),
    ledger: new Ledger(),
    routing: () => allPrimary(systemClock),
    guard: createGuard(logger, systemClock, (what) => faults.push(what)),
    accept() {},
    shadowEnded() {},
    copyRefused() {},
    passedOn() {},
    breakerTurned() {},
    tracing: undefined,
    ended() {
      throw new Error('no room for a metric')
    },
  }
  const stage = new Stage(mirrorConfig({ primary: 'http://127.0.0.1:9' }), context)
  onTestFinished(() => stage.close())
  const choice = stage.choose({
    method: 'GET',
    target: '/x',
    fields: [],
    clientAddress: undefined,
    isTls: false,
    httpVersion: '1.1',
  })
  expect(stage.requestsInFlight).toBe(1)
  const [upstream] = stage.primary.upstreams
  stage.ended(choice, { upstream: upstream!, watch: undefined, passedOn: undefined }, 'answered')
  expect(faults).toEqual(['the end of a live request'])
  expect(stage.requestsInFlight).toBe(0)
  await stage.retire()
})

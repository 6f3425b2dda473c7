import { onTestFinished } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { ByteBudget } from '../capture/byte-budget.ts'
import { LiveHeaders } from '../forward/live-headers.ts'
import { type LiveStage, onlyForwarded } from '../forward/live-stage.ts'
import { createUpstream } from '../upstream/upstream.ts'
import { UpstreamGroup } from '../upstream/upstream-group.ts'
import { answering, fakeUpstream } from './fake-upstream.ts'
import { mirrorConfig } from './mirror-under-test.ts'

/**
 * A stage for a forwarder without a mirror: it mirrors nothing, and its primary answers `{}`. Closed when the test ends.
 */
export async function onlyForwarding(guard: LiveStage['guard']): Promise<LiveStage> {
  const upstream = createUpstream((await fakeUpstream(answering('{}'))).url, 5000)
  onTestFinished(() => upstream.close())
  const primary = new UpstreamGroup([upstream], 0, systemClock)
  return {
    forwarder: 'wire',
    headers: new LiveHeaders(mirrorConfig({ primary: 'http://127.0.0.1:1' }).headers),
    silenceMaxMs: 5000,
    idleMaxMs: 5000,
    budget: new ByteBudget(1_000_000),
    replayMax: 0,
    choose: (request) => onlyForwarded(request, primary, undefined),
    chooseForHandshake: (request) => onlyForwarded(request, primary, undefined),
    ended() {},
    guard,
  }
}

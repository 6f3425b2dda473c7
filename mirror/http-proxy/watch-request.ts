import type { IncomingMessage } from 'node:http'
import type { LiveStage } from '../forward/live-stage.ts'
import type { RequestWatch } from '../live/live-watch.ts'

export function watchRequest(incoming: IncomingMessage, watch: RequestWatch, stage: LiveStage): void {
  let isOver = false
  const over = (isComplete: boolean) => {
    if (isOver) return
    isOver = true
    stage.guard('the end of a request', () => watch.requestEnded(isComplete))
  }
  incoming.on('data', (chunk: Buffer) => watch.requestData(chunk))
  incoming.once('end', () => over(true))
  incoming.once('close', () => over(false))
}

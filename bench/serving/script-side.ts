import type { ModelName } from '../models/models.ts'
import { ask } from '../processes/ask.ts'
import type { Clients } from './server-side.ts'
import type { ServingSide } from './side.ts'
import type { ServingStage } from './stage.ts'

/** A server of the bench's own, one process on both cores that sends its port when asked. `args` begin with its file. */
export function scriptSide(
  stage: ServingStage,
  name: string,
  model: ModelName,
  args: string[],
  clients: Clients,
): ServingSide {
  return {
    name,
    async start() {
      const child = stage.start({ name, command: process.execPath, args, cpus: stage.cores.both, channel: true })
      const port = await ask<number>(child, 'port')
      return {
        pids: [child.pid!],
        measure: (durationMs) =>
          stage.load(clients.cpus, { port, model, durationMs, wire: clients.wire, connections: clients.connections }),
        stop: () => stage.end(child),
      }
    },
  }
}

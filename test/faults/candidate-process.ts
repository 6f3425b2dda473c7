import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { headerFlood } from './candidates/header-flood.ts'
import { healthy } from './candidates/healthy.ts'
import { hugeJson } from './candidates/huge-json.ts'
import { hundredMegabytes } from './candidates/hundred-megabytes.ts'
import { hung } from './candidates/hung.ts'
import { resetMidBody } from './candidates/reset-mid-body.ts'
import { slowDrip } from './candidates/slow-drip.ts'

/**
 * A candidate in a process of its own, for benches: `candidate-process.ts NAME`. Answers every message with its port.
 */
const candidates: Record<string, RequestListener> = {
  healthy,
  hung,
  slowDrip,
  resetMidBody,
  hundredMegabytes,
  headerFlood,
  hugeJson,
}

const server = createServer({ keepAliveTimeout: 600_000 }, candidates[process.argv[2]!]).listen(0, '127.0.0.1')
await once(server, 'listening')
process.on('message', () => process.send!((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit(0))

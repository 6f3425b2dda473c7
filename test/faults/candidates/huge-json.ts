import type { RequestListener } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Just below the mirror's `capture.bodyMax` of 1 MiB, and expensive to escape inside an observation. */
const body = Buffer.from(JSON.stringify({ predictions: [0.2, 0.8], words: Array(200_000).fill('"') }))
/**
 * Unlike a network, a write over loopback is a system call that holds the CPU until it is done: with a megabyte at
 * once, or 64 KiB, a bench's load generator and primary on the same CPU have to wait.
 */
const stepBytes = 8 * 1024

/** Answers with a megabyte of JSON that consists of quotes. */
export const hugeJson: RequestListener = (request, response) => {
  request.resume().once('end', async () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    for (let at = 0; at < body.length; at += stepBytes) {
      response.write(body.subarray(at, at + stepBytes))
      await nextTurn()
    }
    response.end()
  })
}

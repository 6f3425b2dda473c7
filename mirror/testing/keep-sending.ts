import { send } from './mirror-under-test.ts'

export interface Load {
  begun: number
  answered: number
  /** When each failed request was begun, by `performance.now`. */
  failedFrom: number[]
  /** Lets requests in flight finish. */
  end(): Promise<void>
}

/** Runs `clients` clients until ended, each sending one request after another on new connections. */
export function keepSending(url: string, clients: number): Load {
  let isEnding = false
  const load: Load = {
    begun: 0,
    answered: 0,
    failedFrom: [],
    async end() {
      isEnding = true
      await all
    },
  }
  const client = async () => {
    while (!isEnding) {
      const from = performance.now()
      load.begun++
      const isAnswered = await send(url, { body: '{}' }).then(
        ({ status }) => status === 200,
        () => false,
      )
      if (isAnswered) load.answered++
      else load.failedFrom.push(from)
    }
  }
  const all = Promise.all(Array.from({ length: clients }, client))
  return load
}

import { createServer, type Server, type ServerResponse } from 'node:http'
import { Registry } from '../runtime/metrics-registry.ts'
import type { Account } from './ledger/ledger.ts'
import type { Alarm } from './routing/quiet-routes.ts'
import type { RoutingPage } from './routing-page.ts'

/** Sources of the admin pages: one mirror, or all its workers together. */
interface AdminSources {
  readiness: () => Readiness | Promise<Readiness>
  ledger: () => Accounts | Promise<Accounts>
  /** Undefined while no worker is up. */
  routing: () => RoutingPage | undefined | Promise<RoutingPage | undefined>
  metrics: () => Promise<string>
}

export type Accounts = Record<string, Account>

export interface Readiness {
  isReady: boolean
  alarms: readonly Alarm[]
  /** Only if there are several. */
  workers?: { ready: number; configured: number }
}

type Page = (response: ServerResponse) => unknown

/** Serves `/healthz`, `/readyz`, `/metrics`, `/routing` and `/ledger`. The pages hold no secrets and no bodies. */
export function createAdminServer(sources: AdminSources): Server {
  const pages: Record<string, Page> = {
    '/healthz': (response) => answer(response, 200, { status: 'ok' }),
    '/readyz': async (response) => {
      const { isReady, alarms, workers } = await sources.readiness()
      // an alarm does not change the status: a probe must not take the proxy out of service because one route gets no
      // calls
      const status = isReady ? 'ready' : workers && workers.ready === 0 ? 'no worker' : 'stopping'
      answer(response, isReady ? 200 : 503, { status, alarms, workers })
    },
    '/ledger': async (response) => answer(response, 200, { validations: await sources.ledger() }),
    '/routing': async (response) => {
      const page = await sources.routing()
      if (page) answer(response, 200, page)
      else answer(response, 503, { code: 'NO_WORKER', message: 'no worker is up' })
    },
    '/metrics': async (response) => {
      const text = await sources.metrics()
      response.writeHead(200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE })
      response.end(text)
    },
  }
  return createServer((request, response) => {
    const page = pages[request.url!.split('?', 1)[0]!]
    if (!page) {
      const message = `expected one of ${Object.keys(pages).join(', ')}`
      return answer(response, 404, { code: 'NOT_FOUND', message })
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD')
      return answer(response, 405, { code: 'METHOD_NOT_ALLOWED', message: 'expected GET or HEAD' })
    }
    Promise.try(page, response).catch((error: Error) => {
      if (response.headersSent) response.destroy()
      else answer(response, 500, { code: 'PAGE_FAILED', message: error.message })
    })
  })
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

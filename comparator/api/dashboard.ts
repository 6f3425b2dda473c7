import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

const built = join(import.meta.dirname, '../dashboard/dist')

/** Nothing from another origin runs on the page where production is decided. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "img-src 'self' blob:",
  "style-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ')

/** Serves the dashboard that `npm ci` built, at `/`. */
export async function serveDashboard(app: FastifyInstance): Promise<void> {
  if (!existsSync(built)) {
    app.get('/', { schema: { hide: true } }, async (_request, reply) =>
      reply.code(503).type('text/plain').send('The dashboard is not built: run `npm run prepare`, then start again.\n'),
    )
    return
  }
  await app.register(fastifyStatic, {
    root: built,
    cacheControl: false,
    // the build compresses them: see vite.config.ts
    preCompressed: true,
    setHeaders(reply, path) {
      reply.header('content-security-policy', contentSecurityPolicy)
      reply.header('x-content-type-options', 'nosniff')
      reply.header('referrer-policy', 'no-referrer')
      // files with hashed names never change; the page that refers to them may
      reply.header('cache-control', path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
}

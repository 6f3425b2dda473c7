/**
 * For a test's server: by default Node closes a connection that was idle for 5 s. If the machine stops for a moment just
 * then, the request on its way is lost, and a client would rightly get a 502.
 */
export const keepsConnections = { keepAliveTimeout: 600_000 }

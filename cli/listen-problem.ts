const whatToDo: Record<string, string> = {
  EADDRINUSE: 'is taken; change the address in the config or end what listens there',
  EACCES: 'is not for this user; take a port from 1024 on, or grant the process CAP_NET_BIND_SERVICE',
  EADDRNOTAVAIL: 'is no address of this machine; 0.0.0.0 stands for all that it has',
}

/**
 * A remedy for a service that could not listen, derived from Node's message (also when it comes from a worker);
 * undefined for any other message.
 */
export function listenProblem(message: string): string | undefined {
  const [, code, address] = /\b(?:listen|bind) (E\w+)\b.* (\S+)$/.exec(message) ?? []
  const advice = code && whatToDo[code]
  return advice && `${address} ${advice}`
}

const whatToDo: Record<string, string> = {
  EADDRINUSE: 'is taken; change the address in the config or end what listens there',
  EACCES: 'is not for this user; take a port from 1024 on, or grant the process CAP_NET_BIND_SERVICE',
  EADDRNOTAVAIL: 'is no address of this machine; 0.0.0.0 stands for all that it has',
}

/** What to do where a service could not listen, going by Node's message, also in a worker; undefined of any other. */
export function listenProblem(message: string): string | undefined {
  const [, code, address] = /\b(?:listen|bind) (E\w+)\b.* (\S+)$/.exec(message) ?? []
  const advice = code && whatToDo[code]
  return advice && `${address} ${advice}`
}

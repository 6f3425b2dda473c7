import type { ChildProcess } from 'node:child_process'

/** Sends a question over a child's channel and resolves with its next message; rejects if the child ends first. */
export function ask<Answer>(child: ChildProcess, question: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      child.off('message', answered)
      child.off('exit', left)
    }
    const answered = (answer: unknown) => {
      settle()
      resolve(answer as Answer)
    }
    const left = (code: number | null, signal: string | null) => {
      settle()
      reject(new Error(`the process left while it was asked (${signal ?? code})`))
    }
    child.on('message', answered)
    child.on('exit', left)
    child.send(question as object, (error) => {
      if (error) left(null, error.message)
    })
  })
}

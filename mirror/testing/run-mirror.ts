import { runMirror } from '../main.ts'

// does what `understudy mirror --config FILE` does, without loading the other commands
await runMirror(process.argv[2]!)

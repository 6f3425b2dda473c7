/** Where ONNX Runtime's binding runs, as `platform arch`. */
export const builds = ['darwin arm64', 'linux arm64', 'linux x64', 'win32 arm64', 'win32 x64']

interface System {
  platform: NodeJS.Platform
  arch: string
  glibc: string | undefined
}

/** Throws on a system for which ONNX Runtime has no build; its own error would only name a missing file or symbol. */
export function refuseSystem({ platform, arch, glibc }: System = thisSystem()): void {
  if (!builds.includes(`${platform} ${arch}`)) {
    throw new Error(
      `there is no ONNX Runtime for ${platform} on ${arch}; run the candidate server on Linux with x64 or arm64, for example in a container`,
    )
  }
  if (platform === 'linux' && glibc === undefined) {
    throw new Error(
      'this system has musl instead of glibc, for which there is no ONNX Runtime; run the candidate server on a glibc image such as node:26-bookworm-slim',
    )
  }
}

function thisSystem(): System {
  // looking up network interface names takes seconds on some machines
  Object.assign(process.report, { excludeNetwork: true })
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  return { platform: process.platform, arch: process.arch, glibc: header.glibcVersionRuntime }
}

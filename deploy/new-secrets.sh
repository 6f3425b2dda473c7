#!/bin/sh
# Writes deploy/.env: random tokens and a password, for all three ways to deploy.
set -eu
umask 077
file=$(dirname "$0")/.env
if [ -e "$file" ]; then
  echo "$file already exists and is left as it is; docs/PROMOTION.md says how to change a token (Roles and tokens)" >&2
  exit 1
fi
hasher=sha256sum
command -v sha256sum > /dev/null || hasher='shasum -a 256' # as on macOS
if ! command -v ${hasher% -a 256} > /dev/null; then
  echo "expected sha256sum or shasum on the PATH" >&2 # a pipe without it would give empty secrets
  exit 1
fi
sha256() { printf %s "$1" | $hasher | cut -d ' ' -f 1; }
random() { head -c 32 /dev/urandom | $hasher | cut -d ' ' -f 1; }
ingest=$(random)
approver=$(random)
cat > "$file" <<END
POSTGRES_PASSWORD=$(random)
UNDERSTUDY_INGEST_TOKEN=$ingest
UNDERSTUDY_INGEST_SHA256=$(sha256 "$ingest")
UNDERSTUDY_APPROVER_SHA256=$(sha256 "$approver")
END
echo "Wrote $file. Sign in to the dashboard with this token; it is not stored anywhere, so note it down: $approver"

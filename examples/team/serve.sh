#!/bin/sh
# A replica: pull what the lock says, whose signature the keys prove, and serve it.
set -eu
cp "$SERVED/context.toml" "$SERVED/context.lock" .
context sync
exec context serve --http "${LISTEN:-0.0.0.0:8321}" --token-file "$TOKENS" --receipts "$RECEIPTS" --public-url "$PUBLIC_URL"

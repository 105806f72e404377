#!/bin/sh
# Once, in this folder: what the parts need to know of each other. Nothing that is there already is made again.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p certificates served receipts-1 receipts-2

if [ ! -e certificates/team.pem ]; then
    openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj "/CN=team" \
        -addext "subjectAltName=DNS:registry,DNS:localhost,IP:127.0.0.1" \
        -keyout certificates/team.key -out certificates/team.pem
fi

[ -e ci.key ] || context sign --new-key ci.key

[ -e tokens ] || echo "$(openssl rand -hex 32) build-agents 2027-01-01" > tokens

cat > served/context.toml <<EOF
[caches.handbook]
sources = { oci = "${REGISTRY:-registry:5000}/team/handbook:stable" }
about = "How we run our services"

[registry]
keys = ["$(sed -n 2p ci.key.pub)"]
EOF

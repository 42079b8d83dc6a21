#!/usr/bin/env bash
# Make the certificates anew: keys of nothing, that prove who speaks in tests alone.
set -euo pipefail
cd "$(dirname "$0")"
made=$(mktemp --directory)
trap 'rm -rf "$made"' EXIT

signed() { # signed NAME DAYS ALTERNATIVE-NAMES
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$1" \
    -keyout "$1-key.pem" -out "$made/$1.csr" 2>/dev/null
  openssl x509 -req -in "$made/$1.csr" -CA authority.pem -CAkey "$made/authority-key.pem" -CAcreateserial \
    -CAserial "$made/serial" -days "$2" -extfile <(echo "subjectAltName=$3") -out "$1.pem" 2>/dev/null
}

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 \
  -subj "/CN=authority" -keyout "$made/authority-key.pem" -out authority.pem 2>/dev/null
signed server 36500 DNS:localhost,IP:127.0.0.1
signed expired -1 DNS:localhost,IP:127.0.0.1
signed elsewhere 36500 DNS:elsewhere.example

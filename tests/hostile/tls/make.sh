#!/usr/bin/env bash
# Make the certificates anew: keys of nothing, good for a hundred years, that prove who speaks in tests alone.
set -euo pipefail
cd "$(dirname "$0")"
made=$(mktemp --directory)
trap 'rm -rf "$made"' EXIT

authority() { # authority NAME
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 \
    -subj "/CN=$1" -keyout "$made/$1-key.pem" -out "$1.pem" 2>/dev/null
}

signed() { # signed NAME AUTHORITY ALTERNATIVE-NAMES
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$1" \
    -keyout "$1-key.pem" -out "$made/$1.csr" 2>/dev/null
  openssl x509 -req -in "$made/$1.csr" -CA "$2.pem" -CAkey "$made/$2-key.pem" -CAcreateserial -CAserial "$made/serial" \
    -days 36500 -extfile <(echo "subjectAltName=$3") -out "$1.pem" 2>/dev/null
}

authority authority
authority stranger
signed server authority DNS:localhost,IP:127.0.0.1
signed elsewhere authority DNS:elsewhere.example
signed agent authority DNS:agent.example

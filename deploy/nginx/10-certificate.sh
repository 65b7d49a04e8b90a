#!/bin/sh
# Makes a self-signed certificate for `localhost` if there is none. For trying only.
set -eu
[ -s "$STELE_CERTIFICATE" ] && exit 0
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost -days 30 \
  -keyout "$STELE_CERTIFICATE_KEY" -out "$STELE_CERTIFICATE"

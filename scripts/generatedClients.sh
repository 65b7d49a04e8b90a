#!/usr/bin/env bash
# Generates clients from the descriptions of a running server with openapi-generator for Go, Python, typescript-fetch and Kotlin, compiles them, and calls
# the server with each: scripts/generatedClients.sh http://localhost:4000 TOKEN ADDRESS. ADDRESS is an account of the embedded chain. The generator
# needs Java and Maven. Languages whose tools are missing are skipped with a message.
set -euo pipefail
address=$1 token=$2 account=$3
version=7.14.0
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

has() { command -v "$1" >/dev/null; }
if ! has java || ! has mvn; then
  echo 'generated clients: skipped, Java or Maven is missing'
  exit 0
fi
jar=$HOME/.m2/repository/org/openapitools/openapi-generator-cli/$version/openapi-generator-cli-$version.jar
if [ ! -f "$jar" ] && ! mvn -q dependency:get "-Dartifact=org.openapitools:openapi-generator-cli:$version"; then
  echo 'generated clients: skipped, the generator cannot be downloaded'
  exit 0
fi

cd "$work"
for name in application node; do curl -sf "$address/openapi/$name.json" -o "$name.json"; done

generate() { # generator, description, directory, more arguments
  java -jar "$jar" generate -g "$1" -i "$2.json" -o "$3" "${@:4}" >"$3.log" 2>&1 || { cat "$3.log"; return 1; }
}

# Of the node RPC alone: the compiler takes minutes for the application. It runs beside the other languages, because it takes the longest.
kotlin() {
  echo '== Kotlin'
  mkdir -p kotlin/main
  generate kotlin node kotlin/node --additional-properties=packageName=node,library=jvm-okhttp4,serializationLibrary=gson
  cp "$here/generatedClients/Main.kt" kotlin/main/
  cp "$here/generatedClients/pom.xml" kotlin/
  cd kotlin
  if mvn -q dependency:resolve dependency:resolve-plugins >resolve.log 2>&1; then
    mvn -q -Dkotlin.compiler.daemon=false compile dependency:build-classpath -Dmdep.outputFile=classpath
    java -cp "target/classes:$(cat classpath)" MainKt "$address" "$token"
  else
    echo 'generated clients: Kotlin skipped, the compiler or a library cannot be downloaded'
  fi
}
kotlin >kotlin.log 2>&1 & compiling=$!
trap 'kill "$compiling" 2>/dev/null || true; rm -rf "$work"' EXIT

if has go; then
  echo '== Go'
  mkdir go
  for name in application node; do
    generate go "$name" "go/$name" --additional-properties="packageName=$name" --git-host example.org --git-user-id . --git-repo-id "$name"
    (cd "go/$name" && rm -rf test && sed -i "1s|.*|module example.org/$name|" go.mod)
  done
  cp "$here/generatedClients/main.go" go/
  cd go
  go mod init example.org/client 2>/dev/null
  for name in application node; do go mod edit -require "example.org/$name@v0.0.0" -replace "example.org/$name=./$name"; done
  go mod tidy 2>/dev/null
  go run . "$address" "$token" "$account"
  cd ..
else
  echo 'generated clients: Go skipped, it is missing'
fi

if has python3; then
  echo '== Python'
  mkdir python
  for name in application node; do generate python "$name" "python/$name" --additional-properties="packageName=$name"; done
  python3 -m venv venv
  venv/bin/pip install -q -r python/node/requirements.txt
  PYTHONPATH=python/application:python/node venv/bin/python "$here/generatedClients/main.py" "$address" "$token" "$account"
else
  echo 'generated clients: Python skipped, it is missing'
fi

echo '== typescript-fetch'
mkdir ts
for name in application node; do generate typescript-fetch "$name" "ts/$name" --additional-properties=importFileExtension=.ts; done
cp "$here/generatedClients/main.ts" ts/
cat >ts/tsconfig.json <<'JSON'
{ "compilerOptions": { "target": "es2022", "module": "nodenext", "strict": true, "noEmit": true, "allowImportingTsExtensions": true, "lib": ["es2022", "dom"], "types": ["node"], "skipLibCheck": true } }
JSON
echo '{ "type": "module" }' >ts/package.json
ln -s "$here/../node_modules" node_modules
node_modules/.bin/tsc -p ts
node_modules/.bin/tsx ts/main.ts "$address" "$token" "$account"

wait "$compiling" || { cat kotlin.log; exit 1; }
cat kotlin.log

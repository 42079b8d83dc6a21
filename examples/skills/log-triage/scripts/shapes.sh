#!/bin/sh
# Count the distinct shapes of the lines of a log: shapes.sh FILE. The file is only read.
set -eu
if [ "$#" -ne 1 ]; then
  echo "usage: shapes.sh FILE" >&2
  exit 2
fi
LC_ALL=C awk '
  {
    shape = $0
    gsub(/"[^"]*"/, "\"<text>\"", shape)
    gsub(/[0-9a-fA-F]+-[0-9a-fA-F]+-[0-9a-fA-F]+-[0-9a-fA-F]+-[0-9a-fA-F]+/, "<id>", shape)
    gsub(/0x[0-9a-fA-F]+/, "<id>", shape)
    gsub(/[0-9]+([.:,][0-9]+)*/, "<n>", shape)
    if (!(shape in count)) first[shape] = NR
    count[shape]++
  }
  END { for (shape in count) printf "%7d first at %d: %s\n", count[shape], first[shape], shape }
' "$1" | sort -n -k 1,1 -k 4,4

#!/bin/sh
# What a person does and commits: bind the tag to the digest that it has now.
set -eu
cd "$SERVED"
context pull handbook

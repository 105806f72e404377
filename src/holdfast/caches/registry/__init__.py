"""Caches shared by digest: pushed to and pulled from an OCI registry, signed and verified."""

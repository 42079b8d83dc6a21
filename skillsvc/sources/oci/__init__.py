"""Artifacts in OCI registries as sources."""

"""Bytes under a promise: read beneath one root, kept by digest."""

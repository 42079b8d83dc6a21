"""Identities: who calls, as client certificates, bearer tokens and proxies prove it, and nothing else."""

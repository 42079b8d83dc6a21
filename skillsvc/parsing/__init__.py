"""Bytes become values here, once; every fault has a place."""

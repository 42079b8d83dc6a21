"""What an index on the web describes, as sources: manifests, and what sites publish."""

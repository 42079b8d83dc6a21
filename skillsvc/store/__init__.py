"""What survives a restart: databases behind the seams of the inner layers."""

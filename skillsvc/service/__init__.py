"""The only layer that knows gRPC: requests to values, values to answers."""

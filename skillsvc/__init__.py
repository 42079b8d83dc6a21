"""A server of agent skills: folders in, consistent generations out."""

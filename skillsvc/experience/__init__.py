"""What outcomes taught: how priors are learned, which of them is about a task, and how sure that makes. Pure."""

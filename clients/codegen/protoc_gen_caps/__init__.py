"""A plugin of protoc: from the option `cap` of the contract to code that holds the caps, in one language at a time."""

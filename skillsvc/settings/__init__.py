"""Settings: what the operator says, by a TOML file and the command line, checked once and refused where unsafe."""

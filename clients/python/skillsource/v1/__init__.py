"""The messages of the contract, generated from proto/skillsource/v1/."""

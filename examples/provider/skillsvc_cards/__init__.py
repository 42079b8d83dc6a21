"""Cards in a JSON file as skills, for skillsvc."""

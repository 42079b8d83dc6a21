"""Values of the glossary, standard library only: they know neither files, network nor time."""

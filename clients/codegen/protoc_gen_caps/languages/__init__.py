"""One module a language: each turns the caps into the text of one file, and knows nothing of descriptors."""

"""All lies, by subject."""

from tests.hostile import lies_of_contents, lies_of_errors, lies_of_events, lies_of_lists

LIES = (*lies_of_lists.LIES, *lies_of_contents.LIES, *lies_of_errors.LIES, *lies_of_events.LIES)

"""How long a test waits for what must come.

That is no measure of anything: a machine that is busy may take long, and one that waits for ever should say for what.
So it is far above what anything takes, and below the time that a whole test may have.
"""

from typing import Final

PATIENCE_S: Final = 60.0

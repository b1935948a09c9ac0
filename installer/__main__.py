"""`python -m cchooks_suite`."""

import sys

from .cli import main

sys.exit(main())

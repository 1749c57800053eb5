"""An orchestrator process that also knows the workflows that only tests have."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from orchestrator.engine.service import main
from shared.settings import ServiceSettings
from tests.support.small_workflows import SMALL_WORKFLOWS

if __name__ == "__main__":
    sys.exit(main(ServiceSettings.from_environment(os.environ), SMALL_WORKFLOWS))

"""Poll a panel: a teller says what they hold, the question is asked beside it, and a person publishes.

Polling ──> Telling ──> Comparing ──> WaitingForDecision ──> Closed
"""

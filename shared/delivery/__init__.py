"""The only Celery configuration, publishing, signals, presence and contracts."""

"""Lifts every resource limit set for it, and plays on."""

import resource

from prelude import attempt, play, ready

ready()
for name in ("RLIMIT_CPU", "RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_CORE"):
    limit = getattr(resource, name)
    more = resource.getrlimit(limit)[1] + 1
    attempt(f"raising {name}", resource.setrlimit, limit, (more, more))
play()

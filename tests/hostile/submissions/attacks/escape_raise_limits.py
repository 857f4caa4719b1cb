"""Raises its own limits."""
import resource

raised = []
for which in (resource.RLIMIT_FSIZE, resource.RLIMIT_CPU, resource.RLIMIT_AS, resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC):
    try:
        soft, hard = resource.getrlimit(which)
        if hard != resource.RLIM_INFINITY:
            resource.setrlimit(which, (hard + 1, hard + 1))
        raised.append(which)
    except (OSError, ValueError):
        pass
assert raised, "refused"
raise RuntimeError("STO" "LEN limits " + repr(raised))

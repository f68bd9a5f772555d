"""What schemathesis must know of a server of spaces: how a body of commits is sent, and names that
exist, without which most requests would end with 404."""
import random

import schemathesis

NAMES = {"space": ["hats", "a"], "id": ["hat-1"], "key": ["name", "photo", "size"], "type": ["Hat"]}
# The space that requests end. The others have something in them, which they keep.
ENDED = "ended"


@schemathesis.serializer("application/vnd.varve.sync", "application/x-ndjson")
def sync(ctx, value):
    """Sends bytes as they are."""
    return value if isinstance(value, (bytes, str)) else str(value).encode()


@schemathesis.hook
def map_path_parameters(ctx, path_parameters):
    """Replaces three of four names by ones that exist."""
    chance = random.Random(repr(path_parameters))
    for name in path_parameters or {}:
        if name in NAMES and chance.random() < 0.75:
            path_parameters[name] = chance.choice(names(ctx.operation, name))
    return path_parameters


def names(operation, parameter: str) -> list:
    """Returns the names that a parameter of an operation may have."""
    if operation.path != "/v1/spaces/{space}" or operation.method.lower() not in ("put", "delete"):
        return NAMES[parameter]
    return [ENDED] if operation.method.lower() == "delete" else NAMES[parameter] + [ENDED]

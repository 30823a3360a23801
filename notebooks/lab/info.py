"""What a server says about itself."""


def name_of(info: dict) -> str:
    """ "Redis 7.0.15" or "Valkey 9.1.2", from the reply to INFO server."""
    if "valkey_version" in info:
        return f"Valkey {info['valkey_version']}"
    return f"Redis {info['redis_version']}"


def version_of(info: dict) -> tuple[int, ...]:
    """(7, 0, 15). A Valkey answers with its own version."""
    text = info.get("valkey_version") or info["redis_version"]
    return tuple(int(part) for part in text.split(".") if part.isdigit())

"""What a server says about itself."""


def name_of(info: dict) -> str:
    """ "Redis 7.0.15" or "Valkey 9.1.2", from the reply to INFO server."""
    if "valkey_version" in info:
        return f"Valkey {info['valkey_version']}"
    return f"Redis {info['redis_version']}"

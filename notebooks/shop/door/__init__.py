"""The rooms behind the HTTP door (shop.app): settings, sentences, the gate, the desk, the tally."""

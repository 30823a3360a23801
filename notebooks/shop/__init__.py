"""The shop that the course builds: limits, the sale, its orders and its books."""

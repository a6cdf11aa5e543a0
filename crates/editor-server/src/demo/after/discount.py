"""Discounts by the size of an order."""

THRESHOLD = 2_000  # pence
PERCENT = 10


def discount(amount):
    """The discount in pence on an order of this amount in pence."""
    if amount < THRESHOLD:
        return 0
    return amount * PERCENT // 100

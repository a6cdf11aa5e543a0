"""Prints a receipt for a list of items."""

from dataclasses import dataclass


@dataclass
class Item:
    name: str
    price: int  # pence
    count: int = 1


def subtotal(items):
    return sum(item.price * item.count for item in items)


def line(item):
    amount = item.price * item.count / 100
    return f"{item.count} x {item.name:<20} {amount:>8.2f}"


def receipt(items):
    lines = [line(item) for item in items]
    lines.append("-" * 33)
    lines.append(f"{'total':<24} {subtotal(items) / 100:>8.2f}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(receipt([Item("tea", 250, 2), Item("scone", 180)]))

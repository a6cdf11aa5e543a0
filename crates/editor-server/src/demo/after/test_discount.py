from discount import discount


def test_small_orders_get_none():
    assert discount(1_999) == 0


def test_large_orders_get_a_tenth():
    assert discount(2_000) == 200

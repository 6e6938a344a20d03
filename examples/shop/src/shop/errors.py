"""What can go wrong in the shop."""


class ShopError(Exception):
    """Base of the shop's errors."""


class OutOfStock(ShopError):
    """There are fewer pieces of an article than asked for.

    Attributes:
        article: what was asked for.
        missing: how many pieces are missing.
    """

    def __init__(self, article: str, missing: int) -> None:
        super().__init__(f"{article}: {missing} missing")
        self.article = article
        self.missing = missing

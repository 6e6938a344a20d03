"""Figures about sales. Amounts are in cents."""

from functools import lru_cache
from typing import Dict, Iterable, List, Tuple


def pieces_by_article(articles: Iterable[str]) -> Dict[str, int]:
    """Count how often each article was sold, in order of its first sale.

    >>> pieces_by_article(["tea", "coffee", "tea"])
    {'tea': 2, 'coffee': 1}
    """
    counted: Dict[str, int] = {}
    for article in articles:
        counted[article] = counted.get(article, 0) + 1
    return counted


def median_price(prices: List[int]) -> float:
    """The price in the middle, or the mean of the two in the middle.

    >>> median_price([300, 120, 250])
    250
    >>> median_price([300, 120, 250, 130])
    190.0
    """
    ordered = sorted(prices)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def running_total(amounts: List[int]) -> List[int]:
    """The sum of all amounts up to each one.

    >>> running_total([100, 250, 50])
    [100, 350, 400]
    """
    totals = []
    total = 0
    for amount in amounts:
        total += amount
        totals.append(total)
    return totals


def bought_together(baskets: List[List[str]]) -> Dict[Tuple[str, str], int]:
    """Count for every pair of articles in how many baskets both are.

    >>> bought_together([["tea", "milk"], ["tea", "milk", "sugar"]])
    {('milk', 'tea'): 2, ('milk', 'sugar'): 1, ('sugar', 'tea'): 1}
    """
    pairs: Dict[Tuple[str, str], int] = {}
    for basket in baskets:
        articles = sorted(set(basket))
        for at, first in enumerate(articles):
            for second in articles[at + 1 :]:
                pairs[first, second] = pairs.get((first, second), 0) + 1
    return pairs


def longest_rise(prices: List[int]) -> int:
    """How many prices the longest rising choice of them has, in their order.

    >>> longest_rise([3, 1, 4, 1, 5, 9, 2, 6])
    4
    """
    best: List[int] = []
    for at, price in enumerate(prices):
        before = [best[earlier] for earlier in range(at) if prices[earlier] < price]
        best.append(max(before, default=0) + 1)
    return max(best, default=0)


def latest(articles: List[str]) -> str:
    """The article that was sold last.

    >>> latest(["tea", "coffee"])
    'coffee'
    """
    return articles[-1]


def words_of(text: str) -> List[str]:
    """The words of a remark in lower case, without punctuation.

    >>> words_of("Fast delivery, good tea!")
    ['fast', 'delivery', 'good', 'tea']
    """
    return [word.strip(".,!?").lower() for word in text.split()]


@lru_cache(maxsize=None)
def rate_on(day: int) -> float:
    """The exchange rate on the day of a year, worked out from the first of January on.

    >>> rate_on(100)
    1.13
    """
    rate = 1.08
    for number in range(day * 50):
        rate += 0.00002 if number % 2 else 0.0
    return round(rate, 4)

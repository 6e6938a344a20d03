"""Tokens are estimated rather too high than too low, in any script, and by less than the stated factor."""

from __future__ import annotations

import pytest

from testwright.agents.model.token_estimate import ERROR, estimated_tokens

CODE = '''def discounted(total: int) -> int:
    """The price to pay: ten percent off for totals of 100 or more."""
    if total > 100:
        return total - total // 10
    return total
'''
ANSWER = (
    '{"imports":["from till.prices import discounted"],"cases":[{"id":"tc_a","title":"A total of 100 is reduced",'
    '"expect":[{"kind":"equals","value":"90"}]}]}'
)
COUNTED = {
    "code": (CODE, 47),
    "JSON": (ANSWER, 42),
    "Chinese": ("价格应为总额的百分之九十。函数返回舍入后的金额，如果折扣无效则引发错误。", 27),
    "Japanese": ("割引後の価格を返します。合計が百以上の場合は一割引きになります。", 22),
    "Korean": ("할인된 가격을 반환합니다. 합계가 백 이상이면 십 퍼센트 할인됩니다.", 22),
    "Russian": ("Возвращает цену со скидкой. Если сумма больше ста, скидка составляет десять процентов.", 20),
    "Thai": ("คืนค่าราคาหลังหักส่วนลด หากยอดรวมมากกว่าหนึ่งร้อยจะลดสิบเปอร์เซ็นต์", 27),
    "Amharic": ("የዋጋ ቅናሽ ከተደረገ በኋላ ያለውን ዋጋ ይመልሳል", 56),
    "emoji": ("🎉🚀🔥🧪✅❌🇩🇪👩‍💻", 20),
    "a digest": ("446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d", 41),
    "base64": ("QmFzZTY0IGlzIGEgZ3JvdXAgb2YgYmluYXJ5LXRvLXRleHQgZW5jb2Rpbmc=", 42),
}
"""Texts with their tokens by o200k_base."""


@pytest.mark.feature("B-08")
@pytest.mark.parametrize("name", COUNTED)
def test_an_estimate_is_off_by_less_than_its_stated_error(name: str) -> None:
    text, tokens = COUNTED[name]
    assert tokens / ERROR < estimated_tokens(text) < tokens * ERROR
    if name in ("code", "JSON", "Chinese", "Japanese", "Korean"):
        assert estimated_tokens(text) >= tokens


def test_texts_are_added_up_before_they_are_rounded() -> None:
    assert (estimated_tokens(), estimated_tokens("", ""), estimated_tokens("a", "b", "c")) == (0, 0, 1)

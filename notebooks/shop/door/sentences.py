"""What the person reads, in English, 繁體 and 简体; chosen by Accept-Language."""

from __future__ import annotations

from functools import lru_cache

ENGLISH, HANT, HANS = LANGUAGES = "en", "zh-Hant", "zh-Hans"
SENTENCES: dict[str, tuple[str, str, str]] = {
    "queued": (
        "You got one. Your order is being processed.",
        "搶購成功，訂單處理中。",
        "抢购成功，订单处理中。",
    ),
    "sold_out": ("Sold out.", "已售罄。", "已售罄。"),
    "already_bought": (
        "You have taken part in this sale already.",
        "您已參與過本次活動。",
        "您已参与过本次活动。",
    ),
    "not_on_sale": ("This is not on sale.", "此商品未在銷售中。", "此商品未在销售中。"),
    "too_many": (
        "Too many people right now. Please try again in a moment.",
        "目前人數過多，請稍後再試。",
        "目前人数过多，请稍后再试。",
    ),
    "too_often": (
        "You press too often. Please try again later.",
        "操作過於頻繁，請稍後再試。",
        "操作过于频繁，请稍后再试。",
    ),
    "unavailable": (
        "The shop is out of reach for a moment. Please try again soon.",
        "服務暫時無法使用，請稍後再試。",
        "服务暂时无法使用，请稍后再试。",
    ),
    "unknown": (
        "We could not hear the answer. Please look at your order before you press again.",
        "未能確認結果，請先查詢您的訂單。",
        "未能确认结果，请先查询您的订单。",
    ),
    "invalid": ("Please check what you sent.", "請檢查您送出的內容。", "请检查您提交的内容。"),
    "not_found": ("There is no such page.", "找不到這個頁面。", "找不到这个页面。"),
    "ordered": ("Your order is confirmed.", "訂單已成立。", "订单已确认。"),
    "paid": ("Your order is paid.", "訂單已付款。", "订单已付款。"),
    "cancelled": ("Your order is cancelled.", "訂單已取消。", "订单已取消。"),
    "failed": (
        "We could not take your order, and are sorry. Nothing was charged.",
        "很抱歉，訂單未能成立，未向您收費。",
        "很抱歉，订单未能完成，未向您收费。",
    ),
    "none": ("You have no order here.", "您沒有這筆訂單。", "您没有这笔订单。"),
    "opened": ("The sale is open.", "活動已開始。", "活动已开始。"),
    "other_stock": (
        "This sale was opened with another stock.",
        "本次活動已以另一個庫存量開始。",
        "本次活动已以另一个库存量开始。",
    ),
}


def sentence(code: str, language: str) -> str:
    """The sentence of a code, in one of LANGUAGES."""
    return SENTENCES[code][LANGUAGES.index(language)]


@lru_cache(maxsize=256)
def language_of(accept: str) -> str:
    """The best of LANGUAGES for an Accept-Language header; English when it names none of them."""
    best, found = 0.0, ENGLISH
    for item in accept[:500].split(","):
        tag, *parameters = (part.strip().lower() for part in item.split(";"))
        weight = next((_weight(p[2:]) for p in parameters if p.startswith("q=")), 1.0)
        language = _spoken(tag)
        if language and weight > best:
            best, found = weight, language
    return found


def _weight(text: str) -> float:
    try:
        return min(float(text), 1.0)
    except ValueError:
        return 0.0


def _spoken(tag: str) -> str | None:
    """zh-TW, zh-HK and zh-MO write 繁體 unless the script says otherwise; plain zh is 简体."""
    parts = tag.split("-")
    if parts[0] in ("en", "*"):
        return ENGLISH
    if parts[0] != "zh":
        return None
    if "hans" not in parts and {"hant", "tw", "hk", "mo"} & set(parts):
        return HANT
    return HANS

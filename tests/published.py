"""The table of MHGB's paper (mhgb.md 7), which reports and boards must reproduce."""

from __future__ import annotations

__all__ = ["PUBLISHED"]

# Model: fabulas; closed, open and GAP over complete pairs; GAP's interval.
PUBLISHED = {
    "Gemini 3.1 Pro": (300, 0.6509, 0.7758, 0.1249, 0.1032, 0.1469),
    "Claude Sonnet 4.6": (300, 0.6032, 0.7536, 0.1504, 0.1286, 0.1728),
    "DeepSeek-R1 671B": (287, 0.5575, 0.7610, 0.2034, 0.1727, 0.2350),
    "o3": (293, 0.5562, 0.7330, 0.1767, 0.1462, 0.2097),
    "GPT-4o": (276, 0.5174, 0.7515, 0.2341, 0.2041, 0.2657),
    "GigaChat-2 Max": (300, 0.4935, 0.5352, 0.0418, -0.0044, 0.0892),
    "YandexGPT 5.1 Pro": (287, 0.4430, 0.6780, 0.2350, 0.2010, 0.2705),
    "Gemma-4 26B": (300, 0.4272, 0.7239, 0.2967, 0.2674, 0.3262),
    "GigaChat-2 Lite": (300, 0.3992, 0.3908, -0.0084, -0.0517, 0.0336),
    "Mistral Small 3.2": (300, 0.3885, 0.6452, 0.2567, 0.2237, 0.2884),
    "T-pro-it-2.1": (300, 0.3833, 0.7155, 0.3322, 0.2951, 0.3692),
    "DeepSeek-R1 32B": (300, 0.3616, 0.6777, 0.3161, 0.2834, 0.3502),
}

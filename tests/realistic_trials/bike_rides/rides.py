import numpy as np

WINDOW = 24
WEATHER = ["clear", "cloud", "rain", "snow"]
SEEDS = dict(train=1, valid=2)


def hours(days: int, seed: int) -> dict:
    rng = np.random.default_rng(seed)
    t = np.arange(24 * days)
    hour, weekday = t % 24, t // 24 % 7
    weather = rng.choice(len(WEATHER), size=days, p=[0.5, 0.3, 0.15, 0.05]).repeat(24)
    temperature = 12 + 8 * np.sin(2 * np.pi * (hour - 8) / 24) + rng.normal(0, 2, len(t))
    commute = np.exp(-((hour - 8) ** 2) / 4) + 1.2 * np.exp(-((hour - 17) ** 2) / 5)
    leisure = np.exp(-((hour - 14) ** 2) / 20)
    mean = np.where(weekday < 5, 3 * commute + leisure, 2.5 * leisure) * np.array([1, 0.9, 0.4, 0.2])[weather] + 0.1
    rides = rng.poisson(20 * mean) / 20.0
    return dict(hour=hour, weather=weather, temperature=temperature, rides=rides, weekend=weekday >= 5)


def windows(h: dict) -> tuple:
    n = len(h["rides"]) - WINDOW
    history = np.stack([h["rides"], h["temperature"], h["weekend"]], axis=-1).astype("float32")
    x = {
        "history": np.stack([history[i : i + WINDOW] for i in range(n)]),
        "weather": np.array(WEATHER)[h["weather"][WINDOW:]][:, None],
        "hour": h["hour"][WINDOW:, None].astype("float32"),
    }
    return x, h["rides"][WINDOW:].astype("float32")[:, None]

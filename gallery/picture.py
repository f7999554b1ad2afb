# SPDX-License-Identifier: BSD-2-Clause
"""picture - a predicted curve with its measured speedups, and what the change brought, as SVG."""
from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 320, 52, 20, 40, 44
CURVE, CHANGE, QUIET = "#1b62b5", "#c2410c", "#6b7280"


class Plane:
    """Where a speedup and a gain in percent lie; the gains are those that the picture has to show."""

    def __init__(self, gains):
        self.low = 10 * int(min([0, *gains]) // 10)
        self.high = max(10, 10 * int(-(-max(gains) // 10)))

    def x(self, speedup):
        return LEFT + (WIDTH - LEFT - RIGHT) * speedup / 100

    def y(self, gain):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (gain - self.low) / (self.high - self.low)

    def line(self, points):
        return " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)

    def bar(self, speedup, low, high, colour, width):
        x = self.x(speedup)
        return f'<line x1="{x:.1f}" y1="{self.y(low):.1f}" x2="{x:.1f}" y2="{self.y(high):.1f}" stroke="{colour}" stroke-width="{width}"/>'


def effect_of(prediction, row):
    """The curve of the place that the prediction is of; None without a measured point."""
    for target in prediction["targets"]:
        if target["name"] != row["predicted"]["place"]:
            continue
        for effect in target["effects"]:
            points = [point for point in effect["points"] if point.get("program_speedup") is not None]
            if points and effect["kind"] != "latency":
                return points, effect.get("fitted") or []
    return None


def percent(point):
    return [100 * point[key] for key in ("speedup", "program_speedup", "low", "high")]


def text(x, y, words, anchor="start", colour=QUIET):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>'


def axes(plane):
    step = 10 if plane.high - plane.low <= 50 else 20
    parts = []
    for gain in range(plane.low - plane.low % step, plane.high + 1, step):
        y = plane.y(gain)
        parts += [f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#d1d5db"/>', text(LEFT - 6, y + 4, f"{gain} %", "end")]
    parts += [text(plane.x(speedup), HEIGHT - BOTTOM + 16, f"{speedup} %", "middle") for speedup in (0, 25, 50, 75, 100)]
    return parts + [text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "speedup of the place", "middle")]


def picture(prediction, row):
    """None where nothing was predicted or measured."""
    if not row or not row["predicted"] or not row["measured"]:
        return None
    found = effect_of(prediction, row)
    if not found:
        return None
    measured, fitted = ([percent(point) for point in points] for points in found)
    change = [row["size"], *(row["measured"][key] for key in ("gain", "low", "high"))]
    plane = Plane([gain for _, gain, _, _ in [*measured, *fitted, change]] + [change[2], change[3]])
    kept = [[x, y, max(low, plane.low), min(high, plane.high)] for x, y, low, high in measured]
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>', *axes(plane)]
    if fitted:
        parts.append(f'<polyline points="{plane.line([(0, 0)] + [(x, y) for x, y, _, _ in fitted])}" fill="none" stroke="{CURVE}" stroke-dasharray="5 3"/>')
    for x, y, low, high in kept:
        parts += [plane.bar(x, low, high, CURVE, 1), f'<circle cx="{plane.x(x):.1f}" cy="{plane.y(y):.1f}" r="3.5" fill="{CURVE}"/>']
    x, y = plane.x(change[0]), plane.y(change[1])
    parts += [plane.bar(change[0], change[2], change[3], CHANGE, 3),
              f'<path d="M{x:.1f} {y - 8:.1f}l8 8l-8 8l-8 -8z" fill="{CHANGE}"/>',
              text(LEFT, 18, f"predicted: {row['predicted']['place']}, measured points with 95 % intervals", colour=CURVE),
              text(LEFT, 33, "what the change brought", colour=CHANGE), "</svg>"]
    return "\n".join(parts) + "\n"

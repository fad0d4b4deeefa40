"""Pictures of dashboards: each panel as a plot of its queries, in the places that Grafana gives them."""

import math
import re

import matplotlib

matplotlib.use("Agg")

from matplotlib import dates, pyplot  # noqa: E402
from matplotlib.ticker import FuncFormatter, MaxNLocator  # noqa: E402

COLUMNS = 24
# Inches of a column and of a row of Grafana's grid, and dots per inch.
COLUMN, ROW, DPI = 0.6, 0.36, 100
# Grafana scrolls longer legends.
LEGEND_ROWS = 3
# Matplotlib counts days.
DAY_SECONDS = 86400
STYLES = {
    "light": {"figure": "#f4f5f8", "panel": "#ffffff", "text": "#1c232d", "grid": "#dfe3ea"},
    "dark": {"figure": "#0e1217", "panel": "#171d25", "text": "#d9dee6", "grid": "#2c3541"},
}
COLORS = ["#3d85c6", "#e08a2e", "#3aa76d", "#a06cd5", "#d9534f", "#7f8c9b", "#b8a12f", "#39b0b8"]
BYTES = ["B", "KiB", "MiB", "GiB", "TiB"]


def text(value, unit):
    """A value as Grafana shows it."""
    if unit in ("bytes", "Bps"):
        step = 0
        while abs(value) >= 1024 and step < len(BYTES) - 1:
            value /= 1024
            step += 1
        return f"{value:.3g} {BYTES[step]}" + ("/s" if unit == "Bps" else "")
    if unit == "percentunit":
        return f"{value * 100:.3g} %"
    if unit == "s":
        if value >= 60:
            return f"{value / 60:.3g} min"
        return f"{value:.3g} s" if value >= 1 else f"{value * 1000:.3g} ms"
    return f"{value:.3g}" + {"reqps": " /s", "ops": " /s", "cps": " /s", "d": " days"}.get(unit, "")


def legend(target, labels):
    form = target["legendFormat"]
    if form == "__auto":
        return ", ".join(value for name, value in sorted(labels.items()) if name != "__name__")
    return re.sub(r"{{(\w+)}}", lambda match: labels.get(match[1], ""), form)


class Plots:
    def __init__(self, prometheus, begin, end):
        """
        begin, end: of the plotted time, seconds since the epoch
        """
        self.prometheus = prometheus
        self.begin = begin
        self.end = end

    def draw(self, dashboard, theme, file):
        style = STYLES[theme]
        rows = max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in dashboard.panels)
        width, height = COLUMNS * COLUMN + 0.24, (rows + 2) * ROW
        figure = pyplot.figure(figsize=(width, height), dpi=DPI, facecolor=style["figure"])
        figure.text(0.012, 1 - 0.9 * ROW / height, dashboard.title, color=style["text"], fontsize=15, weight="bold")
        for panel in dashboard.panels:
            place = panel["gridPos"]
            top = 1 - (place["y"] + 1.6) * ROW / height
            left = (place["x"] * COLUMN + 0.18) / width
            if panel["type"] == "row":
                figure.text(left, top - 0.7 * ROW / height, panel["title"], color=style["text"], weight="bold")
                continue
            box = (left, top - (place["h"] * ROW - 0.1) / height,
                   (place["w"] * COLUMN - 0.12) / width, (place["h"] * ROW - 0.12) / height)
            figure.patches.append(pyplot.Rectangle(
                box[:2], box[2], box[3], transform=figure.transFigure, facecolor=style["panel"], zorder=-1))
            figure.text(box[0] + 0.1 / width, top - 0.28 / height, panel["title"], color=style["text"], fontsize=9,
                        weight="bold")
            inner = (box[0] + 0.1 / width, box[1] + 0.08 / height, box[2] - 0.2 / width, box[3] - 0.42 / height)
            self.panel(figure, panel, dashboard, inner, style)
        figure.savefig(file, facecolor=style["figure"])
        pyplot.close(figure)

    def panel(self, figure, panel, dashboard, box, style):
        unit = panel["fieldConfig"]["defaults"].get("unit", "none")
        if panel["type"] in ("timeseries", "state-timeline"):
            self.series(figure, panel, dashboard, box, style, unit)
            return
        found = []
        for target in panel["targets"]:
            result = self.answer("query", query=dashboard.query(target), time=self.end)
            found += [(legend(target, one["metric"]), float(one["value"][1])) for one in result]
        if panel["type"] == "stat":
            value = self.mapped(panel, found[0][1], unit) if found else "no data"
            figure.text(box[0] + box[2] / 2, box[1] + box[3] / 2, value, color=COLORS[0], fontsize=20, weight="bold",
                        ha="center", va="center")
        else:
            self.list(figure, found, panel["type"] == "bargauge", box, style, unit)

    def answer(self, path, **parameters):
        data, error = self.prometheus.ask(path, **parameters)
        if error:
            raise ValueError(f"{error}: {parameters}")
        return data["result"]

    @staticmethod
    def mapped(panel, value, unit):
        for mapping in panel["fieldConfig"]["defaults"].get("mappings", []):
            option = mapping["options"].get(f"{value:g}")
            if option:
                return option["text"]
        return text(value, unit)

    def series(self, figure, panel, dashboard, box, style, unit):
        # For the values of the axis.
        inset = 0.75 / figure.get_figwidth()
        axes = figure.add_axes((box[0] + inset, box[1] + 0.3 * box[3], box[2] - inset, 0.68 * box[3]))
        lines = 0
        for target in panel["targets"]:
            query = dashboard.query(target)
            for one in self.answer("query_range", query=query, start=self.begin, end=self.end, step=2):
                times = [time / DAY_SECONDS for time, _ in one["values"]]
                values = [float(value) for _, value in one["values"]]
                label = legend(target, one["metric"])
                axes.plot(times, values, color=COLORS[lines % len(COLORS)], linewidth=1.2, label=label)
                lines += 1
        axes.set_xlim(self.begin / DAY_SECONDS, self.end / DAY_SECONDS)
        axes.set_ylim(bottom=0)
        axes.xaxis.set_major_formatter(dates.DateFormatter("%H:%M"))
        axes.xaxis.set_major_locator(dates.MinuteLocator(interval=1 + int((self.end - self.begin) / 60 / 5)))
        if axes.get_ylim()[1] < 1e-9 or not lines:
            axes.set_ylim(0, 1)
        base = 1024 ** int(math.log(max(axes.get_ylim()[1], 1), 1024)) if unit in ("bytes", "Bps") else 1
        low, high = axes.get_ylim()
        axes.set_yticks([tick * base for tick in MaxNLocator(4).tick_values(low / base, high / base)])
        axes.set_ylim(low, high)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: self.mapped(panel, value, unit)))
        axes.set_facecolor(style["panel"])
        axes.grid(color=style["grid"], linewidth=0.6)
        axes.tick_params(colors=style["text"], labelsize=7, length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        if lines:
            shown = axes.get_lines()
            longest = max(len(line.get_label()) for line in shown)
            # Inches of a name, about.
            columns = max(1, min(2, int(box[2] * figure.get_figwidth() / (0.4 + 0.065 * longest))))
            axes.legend(handles=shown[: LEGEND_ROWS * columns], loc="upper left", bbox_to_anchor=(-0.02, -0.13),
                        ncol=columns, fontsize=6.5, frameon=False, labelcolor=style["text"], handlelength=1.2,
                        columnspacing=1.2)
        else:
            axes.text(0.5, 0.5, "no data", transform=axes.transAxes, color=style["text"], ha="center", fontsize=8)

    @staticmethod
    def list(figure, found, bars, box, style, unit):
        if not found:
            figure.text(box[0] + box[2] / 2, box[1] + box[3] / 2, "no data", color=style["text"], ha="center",
                        fontsize=8)
            return
        axes = figure.add_axes(box)
        axes.axis("off")
        axes.set_xlim(0, 1)
        axes.set_ylim(-max(len(found), 4), 0)
        most = 1 if unit == "percentunit" else max(value for _, value in found) or 1
        for line, (name, value) in enumerate(found):
            axes.text(0, -line - 0.35, name, color=style["text"], fontsize=7.5, va="center")
            axes.text(1, -line - 0.35, text(value, unit), color=style["text"], fontsize=7.5, va="center", ha="right")
            if bars:
                axes.barh(-line - 0.75, 1, height=0.22, color=style["grid"], align="center")
                axes.barh(-line - 0.75, value / most, height=0.22, color=COLORS[0], align="center")

"""Where the demo's problems come from; needs the development dependencies."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from eic_core.exports import csv_writer

Columns = dict[str, np.ndarray]

PUBLIC_DOMAIN = "public domain (as the COPYRIGHT note of the data set in statsmodels says)"
OWN = "MIT (made by this script)"


@dataclass(frozen=True)
class ProblemSource:
    name: str
    title: str
    description: str
    columns: tuple[tuple[str, str, str], ...]  # In file order, the target last
    source: str
    licence: str
    simulated: bool
    build: Callable[[], Columns]  # shape (rows,), callable () -> mapping of column name to ndarray
    digits: int = 6  # Significant digits to which cells are written

    def table(self) -> np.ndarray:
        built = self.build()
        names = [name for name, _, _ in self.columns]
        rows = np.column_stack([np.asarray(built[name], dtype=float) for name in names])
        rounded = [[float(f"{cell:.{self.digits}g}") for cell in row] for row in rows]
        return np.array(rounded)

    def describe(self) -> dict[str, object]:
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "kind": "simulated" if self.simulated else "real",
            "columns": [{"name": n, "unit": u, "meaning": m} for n, u, m in self.columns],
            "source": self.source,
            "licence": self.licence,
        }


def _statsmodels(name: str) -> Any:
    return import_module(f"statsmodels.datasets.{name}").load_pandas().data


def _co2() -> Columns:
    quarters = _statsmodels("co2")["co2"].resample("QS").mean().dropna()
    index = quarters.index
    return {"t": index.year + (index.month + 0.5) / 12 - 1958, "co2": quarters.to_numpy()}


def _prices() -> Columns:
    data = _statsmodels("macrodata")
    return {"year": data["year"] + (data["quarter"] - 1) / 4, "cpi": data["cpi"]}


def _investment() -> Columns:
    data = _statsmodels("macrodata")
    return {"gdp": data["realgdp"], "unemp": data["unemp"], "invest": data["realinv"]}


def _employment() -> Columns:
    data = _statsmodels("longley")
    return {"gnp": data["GNP"] / 1000, "jobs": data["TOTEMP"] / 1000}


def _stackloss() -> Columns:
    data = _statsmodels("stackloss")
    return {"air": data["AIRFLOW"], "water": data["WATERTEMP"], "loss": data["STACKLOSS"]}


def _food() -> Columns:
    data = _statsmodels("engel")
    return {"income": data["income"], "food": data["foodexp"]}


def _sea() -> Columns:
    data = _statsmodels("elnino")
    recent = data[data["YEAR"] >= 1999]
    months = [name for name in data.columns if name != "YEAR"]
    return {
        "month": np.tile(np.arange(1.0, 13.0), len(recent)),
        "temp": recent[months].to_numpy().ravel(),
    }


def _births() -> Columns:
    data = _statsmodels("fertility").dropna(subset=["1990", "2000", "2010"])
    data = data[~data["Country Code"].isin(["LCN", "OED", "OSS", "PSS"])]  # groups of countries
    return {"b1990": data["1990"], "b2000": data["2000"], "b2010": data["2010"]}


def _iris() -> Columns:
    data = import_module("sklearn.datasets").load_iris().data
    return {"sepal": data[:, 0], "width": data[:, 3], "petal": data[:, 2]}


def _random(name: str) -> np.random.Generator:
    # A stream of its own for each problem: a new problem changes no other.
    return np.random.default_rng(int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big"))


def _noisy(rng: np.random.Generator, values: np.ndarray, share: float) -> np.ndarray:
    return values * (1 + share * rng.standard_normal(len(values)))


def _coffee() -> Columns:
    rng = _random("coffee")
    t = np.linspace(0.5, 60, 120)
    return {"t": t, "temp": 21 + 64 * np.exp(-t / 18) + rng.normal(0, 1.0, len(t))}


def _spring() -> Columns:
    rng = _random("spring")
    t = np.linspace(0.1, 12, 160)
    x = 8 * np.exp(-0.12 * t) * np.cos(1.7 * t)
    return {"t": t, "x": x + rng.normal(0, 0.3, len(t))}


def _kepler() -> Columns:
    rng = _random("kepler")
    a = np.sort(rng.uniform(0.3, 12, 100))
    return {"a": a, "period": _noisy(rng, a**1.5, 0.03)}


def _lens() -> Columns:
    rng = _random("lens")
    f = rng.uniform(5, 15, 200)
    u = rng.uniform(20, 60, 200)
    return {"f": f, "u": u, "v": _noisy(rng, u * f / (u - f), 0.02)}


def _glow() -> Columns:
    rng = _random("glow")
    wave = rng.uniform(0.3, 2.5, 250)
    temp = rng.uniform(3, 6, 250)  # thousands of kelvin
    radiance = 119.1 / wave**5 / np.expm1(14.388 / (wave * temp))  # 2hc^2 and hc/k_B
    return {"wave": wave, "temp": temp, "glow": _noisy(rng, radiance, 0.03)}


SOURCES: tuple[ProblemSource, ...] = (
    ProblemSource(
        "co2",
        "Carbon dioxide in the air",
        "Scientists on a mountain in Hawaii have measured how much carbon dioxide the air holds"
        " since 1958. How does it change with time?",
        (
            ("t", "years", "time since the start of 1958"),
            ("co2", "ppm", "carbon dioxide in the air, mean of three months"),
        ),
        "statsmodels `co2`: C. D. Keeling and T. P. Whorf (2004), Mauna Loa weekly air samples,"
        " CDIAC; averaged over quarters",
        PUBLIC_DOMAIN,
        False,
        _co2,
    ),
    ProblemSource(
        "prices",
        "Prices in the shops",
        "The consumer price index says how dear a fixed basket of goods is in the United States."
        " How did it rise from 1959 to 2009?",
        (
            ("year", "year", "calendar year; quarters are fractions"),
            ("cpi", "points", "consumer price index, 100 in the years 1982 to 1984"),
        ),
        "statsmodels `macrodata`: Federal Reserve Economic Data, consumer price index for all urban"
        " consumers, end of the quarter",
        PUBLIC_DOMAIN,
        False,
        _prices,
    ),
    ProblemSource(
        "investment",
        "How much firms invest",
        "Firms in the United States invest more when the economy is large and few people are out"
        " of work. How much, in each quarter from 1959 to 2009?",
        (
            ("gdp", "billion 2005 dollars", "gross domestic product: all that is made in a year"),
            ("unemp", "percent", "share of workers without a job"),
            ("invest", "billion 2005 dollars", "private investment"),
        ),
        "statsmodels `macrodata`: Federal Reserve Economic Data, real gross domestic product and"
        " real gross private domestic investment; Bureau of Labor Statistics, unemployment rate",
        PUBLIC_DOMAIN,
        False,
        _investment,
    ),
    ProblemSource(
        "employment",
        "Jobs and the economy",
        "In the years 1947 to 1962 the economy of the United States grew. How many people had a"
        " job, for a given size of the economy?",
        (
            ("gnp", "billion dollars", "gross national product"),
            ("jobs", "million", "people in employment"),
        ),
        "statsmodels `longley`: J. W. Longley (1967), as in the NIST Statistical Reference"
        " Datasets",
        PUBLIC_DOMAIN,
        False,
        _employment,
    ),
    ProblemSource(
        "stackloss",
        "Losses of a chemical plant",
        "A plant makes nitric acid from ammonia, and some ammonia escapes unused through the"
        " chimney. How much, depending on the air blown in and on the cooling water?",
        (
            ("air", "plant units", "flow of air"),
            ("water", "°C", "temperature of the cooling water"),
            ("loss", "tenths of a percent", "share of the ammonia that is lost"),
        ),
        "statsmodels `stackloss`: K. A. Brownlee (1965), Statistical Theory and Methodology in"
        " Science and Engineering",
        PUBLIC_DOMAIN,
        False,
        _stackloss,
    ),
    ProblemSource(
        "food",
        "What families spend on food",
        "In the 19th century 235 Belgian working families wrote down what they earned and what"
        " they spent on food. How are the two related?",
        (
            ("income", "Belgian francs a year", "income of the household"),
            ("food", "Belgian francs a year", "spending on food"),
        ),
        "statsmodels `engel`: E. Engel (1857), as in R. Koenker and G. Bassett (1982)",
        PUBLIC_DOMAIN,
        False,
        _food,
    ),
    ProblemSource(
        "sea",
        "Warmth of the sea through the year",
        "Off the coast of Peru the sea warms and cools with the seasons. How does its temperature"
        " depend on the month? The years 1999 to 2010 are shown together.",
        (
            ("month", "1 to 12", "month of the year"),
            ("temp", "°C", "temperature at the sea's surface"),
        ),
        "statsmodels `elnino`: NOAA National Weather Service, ERSST.V3B, region Niño 1+2; years"
        " from 1999",
        PUBLIC_DOMAIN,
        False,
        _sea,
    ),
    ProblemSource(
        "births",
        "Children per woman",
        "Each point is a country. From the numbers of children that women had in 1990 and in"
        " 2000, what was to be expected in 2010?",
        (
            ("b1990", "children per woman", "births in 1990"),
            ("b2000", "children per woman", "births in 2000"),
            ("b2010", "children per woman", "births in 2010"),
        ),
        "statsmodels `fertility`: World Bank, World Development Indicators, SP.DYN.TFRT.IN;"
        " countries and territories with all three values",
        "CC BY 4.0 (The World Bank: World Development Indicators)",
        False,
        _births,
    ),
    ProblemSource(
        "iris",
        "Petals of the iris",
        "A botanist measured 150 iris flowers of three kinds. How long is a petal, given its"
        " width and the length of the green sepal below it?",
        (
            ("sepal", "cm", "length of the sepal"),
            ("width", "cm", "width of the petal"),
            ("petal", "cm", "length of the petal"),
        ),
        "scikit-learn `load_iris`: R. A. Fisher (1936), The use of multiple measurements in"
        " taxonomic problems",
        "CC BY 4.0 (UCI Machine Learning Repository, doi:10.24432/C56C76); the copy in"
        " scikit-learn, BSD-3-Clause",
        False,
        _iris,
    ),
    ProblemSource(
        "coffee",
        "A cooling cup of coffee (simulated)",
        "A cup of hot coffee stands in a room at 21 degrees. How warm is it after some minutes?"
        " The measurements are simulated, with errors of about one degree.",
        (
            ("t", "minutes", "time since the coffee was poured"),
            ("temp", "°C", "temperature of the coffee"),
        ),
        "simulated: Newton's law of cooling, temp = 21 + 64 exp(-t/18), normal errors of 1 °C",
        OWN,
        True,
        _coffee,
        4,
    ),
    ProblemSource(
        "spring",
        "A weight on a spring (simulated)",
        "A weight on a spring swings up and down and slowly comes to rest. Where is it after some"
        " seconds? The measurements are simulated, with small errors.",
        (
            ("t", "seconds", "time since the weight was let go"),
            ("x", "cm", "height above the place of rest"),
        ),
        "simulated: damped oscillation, x = 8 exp(-0.12 t) cos(1.7 t), normal errors of 0.3 cm",
        OWN,
        True,
        _spring,
        4,
    ),
    ProblemSource(
        "kepler",
        "How long planets take around the sun (simulated)",
        "Planets far from their sun take longer for one turn. How long, for a given distance?"
        " The measurements are simulated, with errors of 3 percent.",
        (
            ("a", "astronomical units", "distance from the sun (the Earth's is 1)"),
            ("period", "years", "time for one turn"),
        ),
        "simulated: Kepler's third law, period = a^(3/2), relative normal errors of 3 %",
        OWN,
        True,
        _kepler,
        4,
    ),
    ProblemSource(
        "lens",
        "A sharp picture behind a lens (simulated)",
        "A lens throws a sharp picture of a candle on a screen. How far behind the lens must the"
        " screen stand? The measurements are simulated, with errors of 2 percent.",
        (
            ("f", "cm", "focal length of the lens: a small one bends light more"),
            ("u", "cm", "distance from the candle to the lens"),
            ("v", "cm", "distance from the lens to the screen"),
        ),
        "simulated: thin-lens equation, v = u f / (u - f), relative normal errors of 2 %",
        OWN,
        True,
        _lens,
        4,
    ),
    ProblemSource(
        "glow",
        "The glow of a hot body (simulated)",
        "Hot things such as the sun or a lamp's wire glow, and each colour differently brightly."
        " How bright, for a colour and a temperature? Simulated, with errors of 3 percent.",
        (
            ("wave", "micrometres", "wavelength: 0.4 is violet, 0.7 is red, above is infrared"),
            ("temp", "thousand kelvin", "temperature of the glowing body"),
            ("glow", "MW per m² per µm per sr", "brightness at that wavelength"),
        ),
        "simulated: Planck's law, glow = 119.1 / wave^5 / (exp(14.388 / (wave temp)) - 1),"
        " relative normal errors of 3 %",
        OWN,
        True,
        _glow,
        4,
    ),
)


def write_problems(folder: Path, index: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for source in SOURCES:
        with (folder / f"{source.name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv_writer(file)
            writer.writerow([name for name, _, _ in source.columns])
            writer.writerows([[_cell(value) for value in row] for row in source.table()])
    described = [source.describe() for source in SOURCES]
    text = json.dumps(described, indent=2, ensure_ascii=False)
    index.write_text(text + "\n", encoding="utf-8")


def _cell(value: float) -> str:
    return repr(int(value)) if value == int(value) else repr(float(value))

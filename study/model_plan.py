"""What a study declares about models before it is frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from study.errors import DesignError

Contrast = Literal["model less people", "model against one half", "first model less second"]
CONTRASTS: tuple[Contrast, ...] = get_args(Contrast)
SETTINGS = ("repeats", "temperature", "prompt_sha256")
"""What a run is asked with, and a plan declares."""
UNDECLARED = "not declared before the study was frozen"
MAX_REPEATS = 100
MAX_MODELS = 20
MAX_NAME = 200


def check_repeats(repeats: int) -> None:
    """Raise `DesignError` unless every pair can be asked equally often in both orders.

    >>> check_repeats(4)
    >>> check_repeats(5)
    Traceback (most recent call last):
        ...
    study.errors.DesignError: 5 repeats cannot be shared equally between the two orders of a pair, \
    and a liking for the first formula would count as a preference: ask 4 or 6 times
    """
    if not 2 <= repeats <= MAX_REPEATS:
        raise DesignError(
            f"repeats must be from 2 to {MAX_REPEATS}, not {repeats}", field="repeats"
        )
    if repeats % 2:
        raise DesignError(
            f"{repeats} repeats cannot be shared equally between the two orders of a pair, and a "
            "liking for the first formula would count as a preference",
            field="repeats",
            hint=f"ask {repeats - 1} or {repeats + 1} times",
        )


def check_temperature(temperature: float) -> None:
    """Raise `DesignError` unless an endpoint could take it: 0 to 2.

    >>> check_temperature(0.7)
    """
    if not 0 <= temperature <= 2:
        raise DesignError(
            f"the temperature must be from 0 to 2, not {temperature:g}", field="temperature"
        )


def check_name(name: str, field: str) -> None:
    """Raise `DesignError` unless it is a line of text of a reasonable length.

    >>> check_name("qwen3:8b", "model")
    """
    if not 1 <= len(name.strip()) <= MAX_NAME or not name.isprintable():
        raise DesignError(
            f"the name of a model is a line of 1 to {MAX_NAME} characters", field=field
        )


@dataclass(frozen=True)
class ModelPlan:
    """Which models a study asks, how, and what of it counts first: part of what is frozen.

    Raises `DesignError` if a value makes no sense; its `field` names it.

    >>> plan = ModelPlan(("qwen3:8b",), prompt_sha256="ab" * 32)
    >>> ModelPlan.from_json(plan.to_json()) == plan
    True
    """

    models: tuple[str, ...]  # As the endpoint knows them; each is asked once, under its own name
    repeats: int = 4  # How often each pair is asked, half of them in either order
    temperature: float = 0.7
    prompt_sha256: str = ""  # Hash of the template, `study.model_raters.prompt.PROMPT_SHA256`
    # "model less people", "model against one half" or "first model less second": the primary
    # contrast, tested for each declared model with Holm's correction
    contrast: Contrast = "model less people"

    def __post_init__(self) -> None:
        if not 1 <= len(self.models) <= MAX_MODELS:
            raise DesignError(f"declare 1 to {MAX_MODELS} models", field="models")
        for name in self.models:
            check_name(name, "models")
        if len(set(self.models)) < len(self.models):
            raise DesignError("a model is declared twice", field="models")
        check_repeats(self.repeats)
        check_temperature(self.temperature)
        if self.contrast not in CONTRASTS:
            raise DesignError(f"there is no contrast `{self.contrast}`", field="contrast")
        if self.contrast == "first model less second" and len(self.models) < 2:
            raise DesignError("that contrast compares two models: declare both", field="contrast")

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "models": list(self.models)}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> ModelPlan:
        names = {field.name for field in fields(cls)}
        for key in values:
            if key not in names:
                raise DesignError(f"there is no setting `{key}` of models", field="model_raters")
        return cls(**{**values, "models": tuple(values["models"])})

    def differs_from(self, model: str, label: str, settings: Mapping[str, Any]) -> str:
        """How a run differs from what was declared; "" if it does not.

        >>> settings = {"repeats": 4, "temperature": 0.2, "prompt_sha256": ""}
        >>> ModelPlan(("m",)).differs_from("m", "m", settings)
        'asked with temperature 0.2, not 0.7 as declared'
        >>> ModelPlan(("m",)).differs_from("n", "n", settings)
        'not declared before the study was frozen'
        """
        if model not in self.models or label != model:
            return UNDECLARED
        for key, value in settings.items():
            declared = getattr(self, key)
            if declared != value:
                if key == "prompt_sha256":
                    return "asked with another prompt than was declared"
                return f"asked with {key} {value:g}, not {declared:g} as declared"
        return ""


def why_undeclared(
    plan: ModelPlan | None, model: str, label: str, settings: Mapping[str, Any]
) -> str:
    """Why a run is exploratory; "" if the study declared it.

    >>> why_undeclared(None, "m", "m", {})
    'not declared before the study was frozen'
    """
    return UNDECLARED if plan is None else plan.differs_from(model, label, settings)

"""Lengths and periods of a config, in steps, batches, records or epochs, and in batches."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer, PlainValidator


def _whole(minimum: int, what: str) -> BeforeValidator:
    def check(value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
            raise ValueError(f"expected {what}, got {_shown(value)}")
        return value

    return BeforeValidator(check)


def _shown(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


Steps = Annotated[int, _whole(1, "a positive whole number of steps")]
Count = Annotated[int, _whole(1, "a positive whole number")]
NonNegative = Annotated[int, _whole(0, "a whole number, 0 or more")]


class Length(BaseModel):
    """A length in exactly one of batches, records or epochs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    batches: NonNegative | None = None
    records: NonNegative | None = None
    epochs: NonNegative | None = None

    def in_batches(self, batch_size: int, records_per_epoch: int) -> int:
        """Convert this length to batches, rounded down, but at least 1 unless the length is 0.

        Args:
            batch_size: records per batch over all processes.
            records_per_epoch: records per epoch; 0 if the config has no such key.

        Raises:
            ValueError: the length is in epochs and ``records_per_epoch`` is 0.
        """
        if self.batches is not None:
            return self.batches
        if self.records is not None:
            records = self.records
        else:
            if records_per_epoch < 1:
                raise ValueError("a length in epochs needs records_per_epoch: add it to the config")
            records = (self.epochs or 0) * records_per_epoch
        return max(records // batch_size, 1) if records else 0


def _period(value: object) -> int | Length:
    """Validate a period: a number of steps (legacy) or a mapping with a length (current)."""
    if isinstance(value, dict):
        match list(value.items()):
            case [("batches" | "records" | "epochs" as unit, int(count))] if count >= 0:
                return Length.model_validate({unit: count})
        raise ValueError(
            "expected a mapping with one of batches, records, epochs "
            f"and a whole number, got {_shown(value)}"
        )
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(
            "expected a positive whole number of steps or a mapping "
            f"with one of batches, records, epochs, got {_shown(value)}"
        )
    return value


def _period_as_json(period: int | Length) -> int | dict[str, int]:
    return period if isinstance(period, int) else period.model_dump(exclude_none=True)


Period = Annotated[int | Length, PlainValidator(_period), PlainSerializer(_period_as_json)]

"""Statements that are built once and run on a connection without a session.

A volunteer waits for each at each press, and SQLAlchemy's execution takes as long as SQLite itself
or longer: what it compiles goes straight to SQLite's driver, in the transaction that the connection
has begun. Other databases get it from SQLAlchemy.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from sqlalchemy import Connection, Executable, Insert, Select, Update
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import TypeEngine

Convert = Callable[[Any], Any] | None
Rows = list[tuple[Any, ...]]


class Compiled:
    """A statement in SQLite's words, and how values go to the driver and come back."""

    def __init__(self, compiled: SQLCompiler, dialect: Dialect) -> None:
        statement = compiled.statement
        self.text = compiled.string
        fixed = compiled.construct_params(_check=False)
        self._binds = [
            (name, fixed[name], _to_driver(compiled.binds[name].type, dialect))
            for name in compiled.positiontup or ()
        ]
        columns = statement.selected_columns if isinstance(statement, Select) else ()
        readers = [_from_driver(column.type, dialect) for column in columns]
        self._readers = [(place, reader) for place, reader in enumerate(readers) if reader]

    def to_driver(self, values: Mapping[str, object]) -> list[Any]:
        """What stands at the question marks."""
        placed = []
        for name, fixed, convert in self._binds:
            value = values.get(name, fixed)
            placed.append(value if convert is None else convert(value))
        return placed

    def rows(self, read: Rows) -> Rows:
        if not self._readers:
            return read
        rows = []
        for row in read:
            values = list(row)
            for place, reader in self._readers:
                values[place] = reader(values[place])
            rows.append(tuple(values))
        return rows


def _to_driver(kind: TypeEngine[Any], dialect: Dialect) -> Convert:
    return kind.dialect_impl(dialect).bind_processor(dialect)


def _from_driver(kind: TypeEngine[Any], dialect: Dialect) -> Convert:
    return kind.dialect_impl(dialect).result_processor(dialect, None)


_COMPILED: dict[tuple[Executable, frozenset[str]], Compiled] = {}


def _compiled(statement: Executable, values: Mapping[str, object], dialect: Dialect) -> Compiled:
    # The statements are constants of their modules: there are no more of them than there is code.
    key = statement, frozenset(values)
    if key not in _COMPILED:
        names = list(values) if isinstance(statement, Insert | Update) else None
        compiled = statement.compile(dialect=dialect, column_keys=names)  # type: ignore[attr-defined]
        assert not (compiled.insert_prefetch or compiled.update_prefetch), "a default is left out"
        _COMPILED[key] = Compiled(compiled, dialect)
    return _COMPILED[key]


class Statements:
    """What repositories of volunteers' rows have in common."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._driver: sqlite3.Connection | None = None
        if connection.dialect.name == "sqlite":
            self._driver = connection.connection.driver_connection

    def _run(self, statement: Executable, **values: object) -> None:
        if self._driver is None:
            self._connection.execute(statement, values)
        else:
            self._drive(self._driver, statement, values)

    def _add(self, statement: Executable, **values: object) -> int:
        """Insert a row: its id."""
        if self._driver is not None:
            return int(self._drive(self._driver, statement, values)[0].lastrowid or 0)
        key = self._connection.execute(statement, values).inserted_primary_key
        assert key is not None
        return int(key[0])

    def _rows(self, statement: Executable, **values: object) -> Rows:
        if self._driver is None:
            return [tuple(row) for row in self._connection.execute(statement, values)]
        cursor, compiled = self._drive(self._driver, statement, values)
        try:
            read = cursor.fetchall()
        except sqlite3.Error as error:
            self._raise(compiled, error)
        return compiled.rows(read)

    def _first(self, statement: Executable, **values: object) -> tuple[Any, ...] | None:
        rows = self._rows(statement, **values)
        return rows[0] if rows else None

    def _count(self, statement: Executable, **values: object) -> int:
        row = self._first(statement, **values)
        return int(row[0] or 0) if row else 0

    def _drive(
        self, driver: sqlite3.Connection, statement: Executable, values: Mapping[str, object]
    ) -> tuple[sqlite3.Cursor, Compiled]:
        compiled = _compiled(statement, values, self._connection.dialect)
        try:
            return driver.execute(compiled.text, compiled.to_driver(values)), compiled
        except sqlite3.Error as error:
            self._raise(compiled, error)

    def _raise(self, compiled: Compiled, error: sqlite3.Error) -> NoReturn:
        """As SQLAlchemy would have raised it, without the values."""
        raised = DBAPIError.instance(
            compiled.text, None, error, sqlite3.Error, dialect=self._connection.dialect
        )
        raise raised from error

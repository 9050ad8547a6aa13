"""Compares tables of PostgreSQL with those of Doris, row by row and column by column."""
import base64
import collections
import datetime
import decimal
import json
import math
import re
import struct
import zoneinfo

SHOWN = 3  # examples of each kind


def from_postgres(value, column, zone):
    """A value as both sides are compared in."""
    kind = column["type"]
    if value is None:
        return None
    if kind == "boolean":
        return int(value)
    if kind == "numeric":
        return decimal.Decimal(value)
    if kind in ("real", "double precision"):
        return floating(value, kind)
    if kind.startswith("timestamp with time"):
        return value.astimezone(zone).replace(tzinfo=None)
    if kind in ("json", "jsonb"):
        return document(value)
    if kind == "uuid":
        return str(value)
    return value


def from_doris(value, column):
    """The same from the text that the MySQL port gives."""
    kind, text = column["type"], value.decode() if isinstance(value, bytes) else value
    if text is None:
        return None
    if kind == "bytea":
        # Debezium's JSON has bytes as base64, which a text column keeps.
        return bytes.fromhex(text[2:]) if text.startswith("0x") else base64.b64decode(text)
    if kind in ("smallint", "integer", "bigint", "boolean"):
        return int(text)
    if kind == "numeric":
        return decimal.Decimal(text)
    if kind in ("real", "double precision"):
        return floating(text, kind)
    try:
        if kind == "date":
            return datetime.date.fromisoformat(text)
        if kind.startswith("timestamp"):
            return datetime.datetime.fromisoformat(text)
        if kind.startswith("time "):
            # Flink's SQL has no fraction of a second here, so one table has the microseconds of the day.
            if text.isdigit():
                return (datetime.datetime.min + datetime.timedelta(microseconds=int(text))).time()
            return datetime.time.fromisoformat(text)
    except ValueError:
        # Such as year 0: equal to nothing.
        return text
    if kind in ("json", "jsonb"):
        return document(text)
    if kind == "ARRAY":
        return elements(text, int if column["of"] == "_int4" else str)
    return text


def floating(value, kind):
    value = float(value)
    if math.isnan(value):
        return "NaN"
    # The same bits, so that 0.0 and -0.0 differ.
    return struct.pack(">f" if kind == "real" else ">d", value)


def elements(text, kind):
    """What an array holds, as Doris shows one and as Flink CDC gives one in a text; the words have no commas."""
    if text == "[]":
        return []
    return [None if part == "null" else kind(part.strip('"')) for part in re.split(", ?", text[1:-1])]


def document(text):
    return json.loads(text, parse_float=decimal.Decimal)


def same(a, b):
    return type(a) is type(b) and a == b if not isinstance(a, (list, dict)) else a == b


class Difference:
    def __init__(self):
        self.rows = self.missing = self.extra = self.wrong = 0
        self.examples = collections.defaultdict(list)

    def say(self, kind, text):
        self.examples[kind].append(text)

    def lines(self):
        """Some examples of each kind, most frequent first."""
        for kind, texts in sorted(self.examples.items(), key=lambda entry: -len(entry[1])):
            yield f"{len(texts)} {kind}"
            yield from ("  " + text for text in texts[:SHOWN])

    def exact(self):
        return not (self.missing or self.extra or self.wrong)


def compare(postgres, doris, database, tables, zone_name):
    """The difference of all tables; cursors are of psycopg and of pymysql without conversions."""
    zone, found = zoneinfo.ZoneInfo(zone_name), Difference()
    for table in tables:
        names = [column["name"] for column in table.columns]
        at_key = [names.index(name) for name in table.key]
        kinds = ["::text" if column["type"] in ("json", "jsonb") else "" for column in table.columns]
        listed = ", ".join(f'"{name}"{kind}' for name, kind in zip(names, kinds))
        wanted = {}
        for row in postgres.execute(f"SELECT {listed} FROM {table.name}"):
            wanted[tuple(row[at] for at in at_key)] = [from_postgres(value, column, zone) for value, column in zip(row, table.columns)]
        listed = ", ".join(f"`{name}`" for name in names)
        doris.execute(f"SELECT {listed} FROM {database}.{table.name}")
        found.rows += len(wanted)
        seen = set()
        for raw in doris.fetchall():
            row = [from_doris(value, column) for value, column in zip(raw, table.columns)]
            key = tuple(row[at] for at in at_key)
            if key in seen or key not in wanted:
                found.extra += 1
                found.say(f"extra in {table.name}", f"{key}{', a second time' if key in seen else ''}")
                continue
            seen.add(key)
            odd = [(name, a, b) for name, a, b in zip(names, wanted[key], row) if not same(a, b)]
            found.wrong += bool(odd)
            for name, a, b in odd:
                found.say(f"wrong in {table.name}.{name}", f"{key}: wanted {a!r:.200}, got {b!r:.200}")
        for key in wanted.keys() - seen:
            found.missing += 1
            found.say(f"missing in {table.name}", f"{key}")
    return found

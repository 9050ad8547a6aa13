"""Random changes of PostgreSQL tables: what a seed gives is the same each time.

Tables, keys and types are read from the server; a type without values here is an error.
"""
import datetime
import decimal
import json
import random
import string
import sys

import psycopg

MARK = "the last row"
TEXTS = [
    "", " ", "plain", "it's", 'say "hi"', "back\\slash", "\\N", "NULL", "null", "a,b;c|d", "tab\there", "line\nbreak",
    "cr\r\nlf", "größer", "日本語", "😀 emoji", "e\u0301 combined", "\u202ertl", "\x01\x02 control", "{\"a\": [1]}", "  padded  ",
    "__debezium", "%s %d", "${x}", "<b>&amp;</b>", "\u2028", "'; --",
]


class Values:
    """Values of each type, with the odd ones often enough."""

    def __init__(self, rng):
        self.rng = rng

    def text(self, longest):
        rng = self.rng
        if rng.random() < 0.5:
            return rng.choice(TEXTS)[:longest]
        letters = string.ascii_letters + string.digits + " äöüß€日本\t\n\"'\\,;:{}[]😀"
        return "".join(rng.choices(letters, k=rng.randint(0, longest)))

    def words(self):
        letters = string.ascii_letters + "äß日😀"
        return "".join(self.rng.choices(letters, k=self.rng.randint(1, 8)))

    def integer(self, bits):
        rng, limit = self.rng, 1 << (bits - 1)
        return rng.choice([0, 1, -1, limit - 1, -limit]) if rng.random() < 0.2 else rng.randrange(-limit, limit) >> rng.randrange(bits)

    def number(self, precision, scale):
        rng, most = self.rng, 10**precision - 1
        digits = rng.choice([0, 1, -1, most, -most]) if rng.random() < 0.2 else rng.randint(-most, most) // 10 ** rng.randrange(precision)
        return decimal.Decimal(digits).scaleb(-scale, decimal.Context(prec=60))

    def floating(self, name):
        rng = self.rng
        if rng.random() < 0.15:
            return rng.choice([0.0, -0.0, 1.5, float("nan"), float("inf"), float("-inf")])
        return rng.choice([rng.random(), rng.uniform(-1e6, 1e6), rng.uniform(-1, 1) * 10 ** rng.randint(-30, 30)])

    def day(self, first=datetime.date.min):
        rng = self.rng
        odd = ["0001-01-01", "1582-10-04", "1582-10-15", "1900-02-28", "1969-12-31", "1970-01-01", "2024-02-29", "9999-12-31"]
        if rng.random() < 0.2:
            return max(first, datetime.date.fromisoformat(rng.choice(odd)))
        return datetime.date(1900, 1, 1) + datetime.timedelta(days=rng.randrange(73_000))

    def moment(self, digits=6):
        rng, unit = self.rng, 10 ** (6 - digits)
        # Flink CDC reads moments before that day by the Julian calendar.
        start = datetime.datetime.combine(self.day(datetime.date(1582, 10, 15)), datetime.time())
        return start + datetime.timedelta(seconds=rng.randrange(86_400), microseconds=rng.randrange(0, 1_000_000, unit))

    def document(self, depth=0):
        rng = self.rng
        kind = rng.randrange(7 if depth < 2 else 5)
        if kind == 5:
            return [self.document(depth + 1) for _ in range(rng.randrange(4))]
        if kind == 6:
            return {self.words(): self.document(depth + 1) for _ in range(rng.randrange(4))}
        return [None, True, rng.randrange(-(10**9), 10**9), self.text(20), round(rng.uniform(-1e6, 1e6), 4)][kind]

    def of(self, column):
        rng, kind = self.rng, column["type"]
        if kind == "smallint":
            return self.integer(16)
        if kind == "integer":
            return self.integer(32)
        if kind == "bigint":
            return self.integer(64)
        if kind == "numeric":
            return self.number(column["precision"], column["scale"])
        if kind in ("real", "double precision"):
            return self.floating(kind)
        if kind == "boolean":
            return rng.random() < 0.5
        if kind in ("character", "character varying"):
            return self.text(column["length"])
        if kind == "text":
            # Beyond 2 kB PostgreSQL stores a text beside its row.
            return self.text(60) if rng.random() < 0.8 or column["table"]["identity"] != "f" else self.text(30) + "x%06d" % rng.randrange(10**6) * 500
        if kind == "date":
            return self.day()
        if kind.startswith("timestamp without"):
            return self.moment(column["fraction"])
        if kind.startswith("timestamp with"):
            # The wall clock in New York has to fit into DATETIME as well.
            return min(max(self.moment(), datetime.datetime(1900, 1, 1)), datetime.datetime(9999, 12, 30)).replace(tzinfo=datetime.timezone.utc)
        if kind.startswith("time without"):
            return datetime.time(rng.randrange(24), rng.randrange(60), rng.randrange(60), rng.randrange(10**6) if column["fraction"] else 0)
        if kind == "uuid":
            return "%08x-%04x-%04x-%04x-%012x" % tuple(rng.getrandbits(bits) for bits in (32, 16, 16, 16, 48))
        if kind in ("json", "jsonb"):
            return json.dumps(self.document(), ensure_ascii=rng.random() < 0.5).replace("\\u0000", "")
        if kind == "bytea":
            return rng.randbytes(rng.choice([0, 1, 20, 200]))
        if kind == "USER-DEFINED":
            return rng.choice(column["labels"])
        if kind == "ARRAY":
            if rng.random() < 0.1:
                return []
            some = [None if rng.random() < 0.1 else self.integer(32) if column["of"] == "_int4" else self.words() for _ in range(rng.randrange(1, 5))]
            return some
        raise ValueError(f"no values for {column['name']} of type {kind}")


class Table:
    """One table: its columns, and the keys of its rows as they are when everything so far is committed."""

    def __init__(self, connection, name):
        self.name = name
        self.identity = connection.execute("SELECT relreplident FROM pg_class WHERE oid = %s::regclass", [name]).fetchone()[0]
        self.identity = self.identity.decode() if isinstance(self.identity, bytes) else self.identity
        self.key = [row[0] for row in connection.execute(
            "SELECT a.attname FROM pg_index i, unnest(i.indkey) WITH ORDINALITY k(n, o), pg_attribute a"
            " WHERE i.indrelid = %s::regclass AND i.indisprimary AND a.attrelid = i.indrelid AND a.attnum = k.n ORDER BY k.o", [name])]
        self.columns = []
        for row in connection.execute(
            "SELECT column_name, data_type, numeric_precision, numeric_scale, character_maximum_length, datetime_precision, udt_name, is_nullable"
            " FROM information_schema.columns WHERE table_name = %s ORDER BY ordinal_position", [name]).fetchall():
            column = dict(zip(["name", "type", "precision", "scale", "length", "fraction", "of"], row), nullable=row[7] == "YES",
                          table={"identity": self.identity})
            if column["type"] == "USER-DEFINED":
                column["labels"] = [label for label, in connection.execute(
                    "SELECT enumlabel FROM pg_enum e JOIN pg_type t ON t.oid = e.enumtypid WHERE typname = %s", [column["of"]])]
            self.columns.append(column)
        self.keys, self.at = [], {}
        listed = ", ".join(self.key)
        for key in connection.execute(f"SELECT {listed} FROM {name} ORDER BY {listed}"):
            self.add(key)
        self.by_key = " AND ".join(f'"{name}" = %s' for name in self.key)

    def add(self, key):
        self.at[key] = len(self.keys)
        self.keys.append(key)

    def drop(self, key):
        at, last = self.at.pop(key), self.keys.pop()
        if last != key:
            self.keys[at], self.at[last] = last, at


class Changes:
    """Makes changes in transactions and counts the rows that the committed ones changed."""

    def __init__(self, conninfo, names, seed):
        self.rng = random.Random(seed)
        self.values = Values(self.rng)
        self.connection = psycopg.connect(conninfo, autocommit=True)
        self.tables = [Table(self.connection, name) for name in names]
        self.count = 0
        self.kinds = {"insert": 0, "update": 0, "key": 0, "delete": 0}
        self.rolled_back = self.transactions = 0
        self.undo, self.done = [], []

    def value(self, column):
        return None if column["nullable"] and self.rng.random() < 0.1 else self.values.of(column)

    def new_key(self, table):
        """Former and neighbouring keys come again and again."""
        while True:
            key = tuple(
                self.rng.randint(1, 5) if column["type"] == "smallint"
                else self.rng.choice(["k", "K", "ä", "'"]) + str(self.rng.randint(1, 30_000)) if column["type"] == "character varying"
                else self.rng.randint(1, 60_000)
                for column in table.columns if column["name"] in table.key)
            if key not in table.at:
                return key

    def run(self, statement, parameters):
        self.connection.execute(statement, parameters, prepare=False)

    def insert(self, table, key):
        names = [column["name"] for column in table.columns]
        known = dict(zip(table.key, key))
        row = [known[column["name"]] if column["name"] in known else self.value(column) for column in table.columns]
        listed = ", ".join(f'"{name}"' for name in names)
        self.run(f"INSERT INTO {table.name} ({listed}) VALUES ({', '.join(map(self.place, table.columns))})", row)
        table.add(key)
        self.undo.append(lambda: table.drop(key))
        self.done.append("insert")

    @staticmethod
    def place(column):
        """A place for a value; psycopg sends texts without a type, except in arrays."""
        return {"_text": "%s::text[]", "_int4": "%s::int[]"}.get(column["of"], "%s")

    def update(self, table, key):
        others = [column for column in table.columns if column["name"] not in table.key]
        some = self.rng.sample(others, self.rng.randint(1, min(4, len(others))) if self.rng.random() < 0.7 else len(others))
        listed = ", ".join(f'"{column["name"]}" = {self.place(column)}' for column in some)
        self.run(f"UPDATE {table.name} SET {listed} WHERE {table.by_key}", [*map(self.value, some), *key])
        self.done.append("update")

    def move(self, table, key, to):
        listed = ", ".join(f'"{name}" = %s' for name in table.key)
        self.run(f"UPDATE {table.name} SET {listed} WHERE {table.by_key}", [*to, *key])
        table.drop(key)
        table.add(to)

        def back():
            table.drop(to)
            table.add(key)
        self.undo.append(back)
        self.done.append("key")

    def delete(self, table, key):
        self.run(f"DELETE FROM {table.name} WHERE {table.by_key}", key)
        table.drop(key)
        self.undo.append(lambda: table.add(key))
        self.done.append("delete")

    def step(self, table, most):
        """One change, or a few that belong together."""
        rng = self.rng
        kind = rng.random()
        if len(table.keys) < 20 or kind < 0.35:
            return self.insert(table, self.new_key(table))
        key = rng.choice(table.keys)
        if kind < 0.70 or most < 3:
            return self.update(table, key)
        if kind < 0.78:
            return self.move(table, key, self.new_key(table))
        if kind < 0.80:
            # Two rows change places.
            other, free = rng.choice(table.keys), self.new_key(table)
            if other != key:
                self.move(table, key, free)
                self.move(table, other, key)
                self.move(table, free, other)
            return None
        self.delete(table, key)
        if kind > 0.97:
            self.insert(table, key)
            self.update(table, key)
        return None

    def transaction(self, most):
        """One transaction of at most so many changes."""
        rng = self.rng
        size = min(most, rng.choice([1, 1, 2, 3, 5, 8, 20]) if rng.random() < 0.98 else 300)
        keep = rng.random() < 0.95
        self.undo, self.done = [], []
        with self.connection.pipeline():
            self.connection.execute("BEGIN")
            while len(self.done) < size:
                self.step(rng.choice(self.tables), size - len(self.done))
            self.connection.execute("COMMIT" if keep else "ROLLBACK")
        self.transactions += 1
        if keep:
            self.count += len(self.done)
            for kind in self.done:
                self.kinds[kind] += 1
        else:
            self.rolled_back += 1
            for back in reversed(self.undo):
                back()

    def mark(self):
        """A row in each table that comes after everything else; its key."""
        marks = {}
        for table in self.tables:
            key = tuple(-1 if column["type"] != "character varying" else MARK for column in table.columns if column["name"] in table.key)
            self.undo, self.done = [], []
            self.insert(table, key)
            marks[table.name] = dict(zip(table.key, key))
        return marks


def fill(conninfo, names, seed, rows):
    """What the job finds when it starts."""
    changes = Changes(conninfo, names, seed)
    while sum(len(table.keys) for table in changes.tables) < rows:
        changes.transaction(50)
    changes.connection.close()


if __name__ == "__main__":
    fill(sys.argv[1], sys.argv[2].split(","), int(sys.argv[3]), int(sys.argv[4]))

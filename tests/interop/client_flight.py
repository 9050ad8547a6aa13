"""Plain Arrow Flight, as pyarrow has it: the commands of Flight SQL are put together here. Argument: the front end's Flight port."""
import datetime
import decimal
import sys

import pyarrow
from pyarrow import flight

from checks import Checks

PORT = sys.argv[1]
DB = "shop_pyarrow"
check = Checks("pyarrow")


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, value):
    """A protobuf field: texts and bytes with their length, booleans as a number."""
    if isinstance(value, bool):
        return varint(number << 3) + varint(int(value))
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def command(name, *fields):
    """A message of Flight SQL in its envelope."""
    message = b"".join(field(number, value) for number, value in fields)
    envelope = field(1, f"type.googleapis.com/arrow.flight.protocol.sql.{name}") + field(2, message)
    return flight.FlightDescriptor.for_command(envelope)


def login(password):
    client = flight.connect(f"grpc://127.0.0.1:{PORT}")
    return client, flight.FlightCallOptions(headers=[client.authenticate_basic_token("root", password)])


def ask(descriptor):
    """All rows of a command, each endpoint read where it says."""
    info = client.get_flight_info(descriptor, options)
    parts = []
    for endpoint in info.endpoints:
        with flight.connect(endpoint.locations[0]) as node:
            parts.append(node.do_get(endpoint.ticket, options).read_all())
    return pyarrow.concat_tables(parts)


def rows(sql):
    return [tuple(row.values()) for row in ask(command("CommandStatementQuery", (1, sql))).to_pylist()]


def listed(name, *fields):
    return [tuple(row.values()) for row in ask(command(name, *fields)).to_pylist()]


def described():
    [row] = ask(command("CommandGetTables", (2, DB), (3, "goods"), (5, True))).to_pylist()
    schema = pyarrow.ipc.read_schema(pyarrow.py_buffer(row["table_schema"]))
    return schema.names, str(schema.field("sold").type), schema.field("id").nullable


def promised():
    info = client.get_flight_info(command("CommandStatementQuery", (1, f"SELECT id, price FROM {DB}.goods")), options)
    sent = [flight.connect(e.locations[0]).do_get(e.ticket, options).read_all().schema.names for e in info.endpoints]
    return info.schema.names, sent[0]


def used_twice():
    info = client.get_flight_info(command("CommandStatementQuery", (1, f"SELECT id FROM {DB}.goods")), options)
    [endpoint] = info.endpoints
    node = flight.connect(endpoint.locations[0])
    node.do_get(endpoint.ticket, options).read_all()
    return node.do_get(endpoint.ticket, options).read_all()


check.refused("a wrong password is refused", ["Access denied"], lambda: login("wrong"))
check.refused("no password at all is refused", ["Unauthenticated"], lambda: flight.connect(f"grpc://127.0.0.1:{PORT}").get_flight_info(command("CommandStatementQuery", (1, "SELECT 1"))))
client, options = login("")
first = (1, "pencil", decimal.Decimal("0.50"), datetime.datetime(2026, 1, 2, 3, 4, 5, 678000), datetime.date(2026, 1, 2), True, 9007199254740993)
check.run("a row is read in the types of Python", [first], lambda: rows(f"SELECT * FROM {DB}.goods WHERE id = 1"))
check.run("text comes as it was written", [("größer 😀 'quoted'",)], lambda: rows(f"SELECT name FROM {DB}.goods WHERE id = 2"))
check.run("NULL comes as None", [(3, None, None, None, None, None, None)], lambda: rows(f"SELECT * FROM {DB}.goods WHERE id = 3"))
check.run("the rows have the columns that were promised", (["id", "price"], ["id", "price"]), promised)
check.run("databases are listed", [("internal", DB)], lambda: listed("CommandGetDbSchemas", (2, DB)))
check.run(
    "tables and views are listed",
    [("internal", DB, "cheap", "VIEW"), ("internal", DB, "goods", "BASE TABLE"), ("internal", DB, "notes", "BASE TABLE")],
    lambda: listed("CommandGetTables", (2, DB)),
)
check.run("tables of one kind are listed", [("internal", DB, "cheap", "VIEW")], lambda: listed("CommandGetTables", (2, DB), (4, "VIEW")))
check.run("kinds of tables are told", [("BASE TABLE",), ("SYSTEM VIEW",), ("VIEW",)], lambda: listed("CommandGetTableTypes"))
check.run("catalogs are listed", [("internal",)], lambda: listed("CommandGetCatalogs"))
check.run(
    "columns are described",
    (["id", "name", "price", "sold", "day", "active", "stock"], "timestamp[ms]", False),
    described,
)
check.run("rows are inserted", [("0",)], lambda: rows(f"INSERT INTO {DB}.goods (id, name) VALUES (10, 'ten'), (11, 'eleven')"))
check.run("a row is updated", [("0",)], lambda: rows(f"UPDATE {DB}.goods SET name = 'TEN' WHERE id = 10"))
check.run("a row is deleted", [("0",)], lambda: rows(f"DELETE FROM {DB}.goods WHERE id = 11"))
check.run("what was written is seen", [(10, "TEN")], lambda: rows(f"SELECT id, name FROM {DB}.goods WHERE id >= 10"))
check.refused("a ticket serves once", ["not found"], used_twice)
check.refused("an unknown table is named", ["missing_table"], lambda: rows(f"SELECT * FROM {DB}.missing_table"))
check.refused("flights are not listed", ["listFlights unimplemented"], lambda: list(client.list_flights(b"", options)))
check.run("the session ends when it is closed", [b"\x08\x01"], lambda: [r.body.to_pybytes() for r in client.do_action(flight.Action("CloseSession", b""), options)])
check.refused("and serves no more", ["Unauthenticated"], lambda: rows("SELECT 1"))
check.end()

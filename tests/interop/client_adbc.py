"""The Flight SQL driver of ADBC. Argument: the front end's Flight port."""
import datetime
import decimal
import sys

import adbc_driver_flightsql.dbapi
import adbc_driver_manager

from checks import Checks

PORT = sys.argv[1]
DB = "shop_adbc"
check = Checks("adbc")


def connect(password=""):
    options = {adbc_driver_manager.DatabaseOptions.USERNAME.value: "root", adbc_driver_manager.DatabaseOptions.PASSWORD.value: password}
    # Doris has no transactions over Flight: the driver's own default would ask for one.
    return adbc_driver_flightsql.dbapi.connect(f"grpc://127.0.0.1:{PORT}", db_kwargs=options, autocommit=True)


def wrong_password():
    with connect("wrong") as other, other.cursor() as cursor:
        cursor.execute("SELECT 1")


def rows(sql):
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall()


def table(sql):
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetch_arrow_table()


def objects(depth, **filters):
    return connection.adbc_get_objects(depth=depth, **filters).read_all().to_pylist()


def databases():
    [catalog] = objects("db_schemas", db_schema_filter=DB)
    return catalog["catalog_name"], [schema["db_schema_name"] for schema in catalog["catalog_db_schemas"]]


def tables(**filters):
    [catalog] = objects("tables", db_schema_filter=DB, **filters)
    found = [(t["table_name"], t["table_type"]) for schema in catalog["catalog_db_schemas"] for t in schema["db_schema_tables"]]
    return sorted(found)


def columns():
    [catalog] = objects("all", db_schema_filter=DB, table_name_filter="goods")
    [schema] = catalog["catalog_db_schemas"]
    [found] = schema["db_schema_tables"]
    return [(c["column_name"], c["ordinal_position"], c["xdbc_type_name"]) for c in found["table_columns"]]


def table_schema():
    schema = connection.adbc_get_table_schema("goods", db_schema_filter=DB)
    sent = table(f"SELECT * FROM {DB}.goods").schema
    same = all(schema.field(name).type == sent.field(name).type for name in sent.names)
    return schema.names, schema.field("id").nullable, schema.field("name").nullable, same


check.refused("a wrong password is refused", ["Access denied"], wrong_password)
connection = connect()
info = connection.adbc_get_info()
check.equal("the server tells its name", "DorisFE", info.get("vendor_name"))
check.run("catalogs are listed", ["internal"], lambda: [c["catalog_name"] for c in objects("catalogs")])
check.run("databases are listed", ("internal", [DB]), databases)
check.run("tables and views are listed", [("cheap", "VIEW"), ("goods", "BASE TABLE"), ("notes", "BASE TABLE")], tables)
check.run("tables of one kind are listed", [("cheap", "VIEW")], lambda: tables(table_types_filter=["VIEW"]))
check.run("tables are listed by a pattern of their names", [("goods", "BASE TABLE")], lambda: tables(table_name_filter="g%s"))
check.run("kinds of tables are told", ["BASE TABLE", "SYSTEM VIEW", "VIEW"], lambda: sorted(connection.adbc_get_table_types()))
check.run(
    "columns are described",
    [("id", 1, "INT"), ("name", 2, "VARCHAR"), ("price", 3, "DECIMAL64"), ("sold", 4, "DATETIMEV2"), ("day", 5, "DATEV2"), ("active", 6, "BOOLEAN"), ("stock", 7, "BIGINT")],
    columns,
)
check.run(
    "a table's schema is the one that its rows come in",
    (["id", "name", "price", "sold", "day", "active", "stock"], False, True, True),
    table_schema,
)
first = (1, "pencil", decimal.Decimal("0.50"), datetime.datetime(2026, 1, 2, 3, 4, 5, 678000), datetime.date(2026, 1, 2), True, 9007199254740993)
check.run("a row is read in the types of Python", [first], lambda: rows(f"SELECT * FROM {DB}.goods WHERE id = 1"))
check.run("NULL comes as None", [(3, None, None, None, None, None, None)], lambda: rows(f"SELECT * FROM {DB}.goods WHERE id = 3"))
check.run("text comes as it was written", [("größer 😀 'quoted'",)], lambda: rows(f"SELECT name FROM {DB}.goods WHERE id = 2"))
check.run("many rows come as Arrow batches", (50000, 1249975000), lambda: (
    lambda t: (t.num_rows, sum(t.column(0).to_pylist())))(table('SELECT number FROM numbers("number" = "50000")')))
check.run("rows are inserted", [("0",)], lambda: rows(f"INSERT INTO {DB}.goods (id, name, price) VALUES (10, 'ten', 10), (11, 'eleven', 11)"))
check.run("a row is updated", [("0",)], lambda: rows(f"UPDATE {DB}.goods SET name = 'TEN' WHERE id = 10"))
check.run("a row is deleted", [("0",)], lambda: rows(f"DELETE FROM {DB}.goods WHERE id = 11"))
check.run("what was written is seen", [(10, "TEN", decimal.Decimal("10.00"), 0)], lambda: rows(f"SELECT id, name, price, stock FROM {DB}.goods WHERE id >= 10"))
check.run("the session keeps its database", [("goods",), ("notes",), ("cheap",)], lambda: (rows(f"USE {DB}"), sorted(rows("SHOW TABLES"), key=lambda r: r[0] == "cheap"))[1])
check.run("the session keeps its variables", [("UTC",)], lambda: (rows("SET time_zone = 'UTC'"), rows("SELECT @@time_zone"))[1])
check.refused("an unknown table is named", ["missing_table"], lambda: rows(f"SELECT * FROM {DB}.missing_table"))
check.refused("what cannot be read is an error with a text", ["SELEKT"], lambda: rows("SELEKT 1"))
check.run("the connection serves on after errors", [(1,)], lambda: rows("SELECT 1"))
connection.close()
check.end()

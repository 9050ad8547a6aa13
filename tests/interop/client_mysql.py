"""pymysql at the MySQL port. Argument: the port."""
import datetime
import decimal
import sys

import pymysql

from checks import Checks

PORT = int(sys.argv[1])
DB = "shop_pymysql"
check = Checks("pymysql")


def connect(**more):
    return pymysql.connect(host="127.0.0.1", port=PORT, user="root", charset="utf8mb4", **more)


def rows(sql, *parameters):
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters or None)
        return list(cursor.fetchall())


def affected(sql, *parameters):
    with connection.cursor() as cursor:
        return cursor.execute(sql, parameters or None)


def wrong_password():
    connect(password="wrong")


def described():
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM goods LIMIT 0")
        return [column[0] for column in cursor.description]


def batch():
    with connection.cursor() as cursor:
        return cursor.executemany(
            "INSERT INTO goods (id, name, price) VALUES (%s, %s, %s)",
            [(20, "a'b\\c\"d\n", decimal.Decimal("1.10")), (21, "größe 😀", None), (22, "x", decimal.Decimal("-2.50"))],
        )


def transaction(keep):
    connection.begin()
    affected("INSERT INTO notes VALUES (%s, %s)", 1 if keep else 9, "kept" if keep else "gone")
    before = rows("SELECT COUNT(*) FROM notes")
    connection.commit() if keep else connection.rollback()
    return before, rows("SELECT id, note FROM notes")


check.refused("a wrong password is refused", ["1045"], wrong_password)
check.refused("an unknown database is refused", ["nowhere"], lambda: connect(database="nowhere"))
connection = connect(database=DB, autocommit=True)
check.run("the version is told", "5.7.99", connection.get_server_info)
check.run("the connection answers", None, lambda: connection.ping(reconnect=False))
check.run("databases are listed", [(DB,)], lambda: rows("SHOW DATABASES LIKE %s", DB))
check.run("tables are listed", [("cheap",), ("goods",), ("notes",)], lambda: rows("SHOW TABLES"))
first = (1, "pencil", decimal.Decimal("0.50"), datetime.datetime(2026, 1, 2, 3, 4, 5, 678000), datetime.date(2026, 1, 2), 1, 9007199254740993)
check.run("a row is read in the types of Python", [first], lambda: rows("SELECT * FROM goods WHERE id = %s", 1))
check.run("text comes as it was written", [("größer 😀 'quoted'",)], lambda: rows("SELECT name FROM goods WHERE id = 2"))
check.run("NULL comes as None", [(3, None, None, None, None, None, None)], lambda: rows("SELECT * FROM goods WHERE id = 3"))
check.run("a view is read", [(1, "pencil")], lambda: rows("SELECT * FROM cheap"))
check.run("columns are named", ["id", "name", "price", "sold", "day", "active", "stock"], described)
check.run("many rows are inserted at once", 3, batch)
check.run(
    "what was inserted is there, whatever has to be escaped",
    [(20, "a'b\\c\"d\n", decimal.Decimal("1.10")), (21, "größe 😀", None), (22, "x", decimal.Decimal("-2.50"))],
    lambda: rows("SELECT id, name, price FROM goods WHERE id >= 20 ORDER BY id"),
)
check.run("rows updated are counted", 1, lambda: affected("UPDATE goods SET price = %s WHERE id = %s", decimal.Decimal("3.00"), 21))
check.run("rows deleted are counted", 2, lambda: affected("DELETE FROM goods WHERE id IN (%s, %s)", 20, 22))
check.run("updates and deletes are seen", [(21, decimal.Decimal("3.00"))], lambda: rows("SELECT id, price FROM goods WHERE id >= 20"))
check.run(
    "a moment is compared with its fraction",
    [(1,)],
    lambda: rows("SELECT id FROM goods WHERE sold > %s AND sold < %s", "2026-01-02 03:04:05.677999", datetime.datetime(2026, 1, 2, 3, 4, 5, 678001)),
)
check.run("a date is compared with a moment", [(1,)], lambda: rows("SELECT id FROM goods WHERE day < %s", datetime.datetime(2026, 1, 2, 0, 0, 1)))
check.run(
    "information_schema describes the columns",
    [("id", "NO"), ("name", "YES")],
    lambda: rows(
        "SELECT COLUMN_NAME, IS_NULLABLE FROM information_schema.columns WHERE TABLE_SCHEMA = %s AND TABLE_NAME = 'goods' AND ORDINAL_POSITION <= 2 ORDER BY ORDINAL_POSITION",
        DB,
    ),
)
check.run("two variables of one value come side by side", [("utf8mb4", "utf8mb4")], lambda: rows("SELECT @@character_set_client, @@character_set_results"))
check.run("names and variables are set in one list", 0, lambda: affected("SET NAMES utf8mb4, autocommit = 1"))
check.run("a transaction that is rolled back leaves nothing", ([(0,)], []), lambda: transaction(False))
check.run("a transaction that is committed leaves its rows, which were not seen before", ([(0,)], [(1, "kept")]), lambda: transaction(True))
check.refused("an unknown table is named", ["missing_table"], lambda: rows("SELECT * FROM missing_table"))
check.refused("what cannot be read is an error with a text", ["SELEKT"], lambda: rows("SELEKT 1"))
check.run("the connection serves on after errors", [(1,)], lambda: rows("SELECT 1"))
connection.select_db("information_schema")
check.run("another database is chosen", [("information_schema",)], lambda: rows("SELECT DATABASE()"))
connection.close()
check.end()

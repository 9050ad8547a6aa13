package org.apache.doris.flink.error;

import org.apache.flink.annotation.Internal;

/** What went wrong. The numbers are those of the Rust enum {@code ErrorKind}. */
@Internal
public enum ErrorCode {
    /** A number that this version does not know. */
    UNKNOWN(0),
    /** A configuration value is missing or not usable. */
    CONFIG(1),
    /** No node could be reached, or a name could not be resolved. */
    CONNECT(2),
    /** User or password refused, or a privilege is missing. */
    AUTH(3),
    /** The database or table does not exist. */
    NOT_FOUND(4),
    /** Declared and delivered columns differ. */
    SCHEMA(5),
    /** The server refused the statement. */
    QUERY(6),
    /** A time limit passed. */
    TIMEOUT(7),
    /** A connection or stream broke. */
    TRANSPORT(8),
    /** A corrupt batch, a NULL in a NOT NULL column, a value that does not fit. */
    DATA(9),
    /** Not supported. */
    UNSUPPORTED(10),
    /** The handle is closed, stale or cancelled. */
    CLOSED(11),
    /** A fault of the native library. */
    INTERNAL(12),
    /** A fault of the native library that ended in a panic; the handle is unusable. */
    PANIC(13),
    /** The native library could not be loaded. */
    LIBRARY(14),
    /** The server refused a load, for its data or its parameters. */
    LOAD(15),
    /** A label that was about to be used is finished already: its rows are in the table. */
    LABEL(16),
    /** A commit or an abort was refused or not answered; the server may still hold it. */
    TRANSACTION(17),
    /** Changes that a {@code min_delta} window begins with are no longer retained. */
    EXPIRED(18),
    /** A window waited for transactions of its table longer than allowed. */
    VISIBLE_WAIT(19),
    /** The partition of a slice is not in the listing of the front end that answered. */
    PARTITION_GONE(20),
    /** The offset table cannot be used, or its row cannot. */
    OFFSET(21),
    /** A transaction to be committed is aborted: its rows are not in the table. */
    ABORTED(22),
    /** A transaction to be committed is not known: committed long ago, or dropped. */
    FORGOTTEN(23);

    private final int number;

    ErrorCode(int number) {
        this.number = number;
    }

    /** The number that crosses the boundary. */
    public int number() {
        return number;
    }

    /** The code of a number, {@link #UNKNOWN} for one that a newer library may send. */
    public static ErrorCode of(int number) {
        for (ErrorCode code : values()) {
            if (code.number == number) {
                return code;
            }
        }
        return UNKNOWN;
    }
}

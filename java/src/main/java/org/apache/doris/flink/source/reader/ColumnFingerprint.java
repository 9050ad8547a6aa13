package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.config.ScanColumn;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A number for a list of selected columns, the same in every process: FNV-1a over their paths and
 * types. It is in checkpoints, so it never changes for the same list.
 */
final class ColumnFingerprint {

    private static final long OFFSET = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private ColumnFingerprint() {}

    /** Of the columns in their order; never 0, which stands for no window. */
    static long of(List<ScanColumn> columns) {
        long hash = OFFSET;
        for (ScanColumn column : columns) {
            hash = add(hash, column.quotedPath());
            hash = add(hash, column.type().asSerializableString());
        }
        return hash == 0 ? OFFSET : hash;
    }

    private static long add(long hash, String text) {
        long sum = hash;
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            sum = (sum ^ (b & 0xff)) * PRIME;
        }
        // No byte of UTF-8: no two lists run into one text.
        return (sum ^ 0xff) * PRIME;
    }
}

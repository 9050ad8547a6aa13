package org.apache.doris.flink.source.reader;

import org.apache.flink.annotation.Internal;

/** What a change tells beside its row. A re-used view, valid as long as its row. */
@Internal
public interface Change {

    /** Operation as Doris reports it: 0 insert, 1 delete, 2 before and 3 after an update. */
    int operation();

    /** Commit order number of its transaction. */
    long tso();

    /** Order of the changes of one tablet with the same {@link #tso}. */
    long lsn();
}

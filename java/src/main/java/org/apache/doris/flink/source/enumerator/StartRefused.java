package org.apache.doris.flink.source.enumerator;

/** A start that the enumerator itself refuses; asking again would give the same answer. */
final class StartRefused extends Exception {

    private static final long serialVersionUID = 1L;

    StartRefused(String message) {
        super(message);
    }
}

package org.apache.doris.flink.sink.writer;

import java.io.IOException;

/** A load found its label committed or visible before it had loaded anything under it. */
final class LabelTaken extends IOException {

    private static final long serialVersionUID = 1L;

    /**
     * @param message label and state
     */
    public LabelTaken(String message, Throwable cause) {
        super(message, cause);
    }
}

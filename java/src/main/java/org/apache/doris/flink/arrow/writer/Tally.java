package org.apache.doris.flink.arrow.writer;

/** Size of what a batch holds beside its columns' fixed widths: texts, elements of arrays. */
final class Tally {
    long bits;
}

package org.apache.doris.flink.sink.writer;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.metrics.HistogramStatistics;
import org.junit.jupiter.api.Test;

/** The figures of a histogram of the last 100 samples. */
class SampleHistogramTest {

    private final SampleHistogram histogram = new SampleHistogram();

    @Test
    void withoutSamplesEverythingIsZero() {
        HistogramStatistics none = histogram.getStatistics();
        assertThat(histogram.getCount()).isZero();
        assertThat(none.size()).isZero();
        assertThat(none.getValues()).isEmpty();
        assertThat(none.getQuantile(0.99)).isZero();
        assertThat(none.getMean()).isZero();
        assertThat(none.getStdDev()).isZero();
        assertThat(none.getMin()).isZero();
        assertThat(none.getMax()).isZero();
    }

    @Test
    void onlyTheLastHundredCount() {
        for (int i = 1; i <= 250; i++) {
            histogram.update(i);
        }
        HistogramStatistics last = histogram.getStatistics();
        assertThat(histogram.getCount()).isEqualTo(250);
        assertThat(last.size()).isEqualTo(100);
        assertThat(last.getMin()).isEqualTo(151);
        assertThat(last.getMax()).isEqualTo(250);
        assertThat(last.getMean()).isEqualTo(200.5);
        assertThat(last.getQuantile(0.5)).isEqualTo(200.5);
        assertThat(last.getQuantile(1)).isEqualTo(250);
        assertThat(last.getStdDev()).isBetween(29.0, 29.1);
    }
}

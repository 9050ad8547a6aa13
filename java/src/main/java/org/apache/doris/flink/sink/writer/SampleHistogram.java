package org.apache.doris.flink.sink.writer;

import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.HistogramStatistics;

import java.util.Arrays;

/** A histogram of the last 100 samples. Updated by the task, read by reporters. */
final class SampleHistogram implements Histogram {

    static final int SAMPLES = 100;

    private final long[] samples = new long[SAMPLES];
    private long count;

    @Override
    public synchronized void update(long value) {
        samples[(int) (count % SAMPLES)] = value;
        count++;
    }

    @Override
    public synchronized long getCount() {
        return count;
    }

    @Override
    public synchronized HistogramStatistics getStatistics() {
        long[] sorted = Arrays.copyOf(samples, (int) Math.min(count, SAMPLES));
        Arrays.sort(sorted);
        return new Statistics(sorted);
    }

    /** Figures of sorted samples. */
    private static final class Statistics extends HistogramStatistics {

        private final long[] sorted;

        private Statistics(long[] sorted) {
            this.sorted = sorted;
        }

        @Override
        public double getQuantile(double quantile) {
            if (sorted.length == 0) {
                return 0;
            }
            double position = Math.min(1, Math.max(0, quantile)) * (sorted.length - 1);
            int below = (int) position;
            int above = Math.min(below + 1, sorted.length - 1);
            return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
        }

        @Override
        public long[] getValues() {
            return sorted.clone();
        }

        @Override
        public int size() {
            return sorted.length;
        }

        @Override
        public double getMean() {
            return Arrays.stream(sorted).average().orElse(0);
        }

        @Override
        public double getStdDev() {
            if (sorted.length < 2) {
                return 0;
            }
            double mean = getMean();
            double squares = Arrays.stream(sorted).mapToDouble(v -> (v - mean) * (v - mean)).sum();
            return Math.sqrt(squares / (sorted.length - 1));
        }

        @Override
        public long getMax() {
            return sorted.length == 0 ? 0 : sorted[sorted.length - 1];
        }

        @Override
        public long getMin() {
            return sorted.length == 0 ? 0 : sorted[0];
        }
    }
}

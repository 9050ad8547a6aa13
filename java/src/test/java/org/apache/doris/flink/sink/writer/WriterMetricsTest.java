package org.apache.doris.flink.sink.writer;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.sink.RecordedMetrics;
import org.apache.doris.flink.sink.transaction.FakeDoris;
import org.apache.flink.metrics.Histogram;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The metrics of a writer: their names, and values that are those of the answers. */
class WriterMetricsTest {

    private static final List<String> COUNTERS =
            List.of(
                    "totalFlushLoadBytes",
                    "flushTotalNumberRows",
                    "totalFlushLoadedRows",
                    "totalFlushTimeMs",
                    "totalFlushSucceededNumber",
                    "totalFlushFailedNumber",
                    "totalFlushFilteredRows",
                    "totalFlushUnselectedRows");
    private static final List<String> HISTOGRAMS =
            List.of(
                    "beginTxnTimeMs",
                    "putDataTimeMs",
                    "readDataTimeMs",
                    "writeDataTimeMs",
                    "commitAndPublishTimeMs",
                    "loadTimeMs");

    private final FakeDoris doris = new FakeDoris();

    private static Map<String, String> answer() {
        Map<String, String> answer = new TreeMap<>();
        answer.put("total.rows", "10");
        answer.put("loaded.rows", "7");
        answer.put("filtered.rows", "2");
        answer.put("unselected.rows", "1");
        answer.put("load.bytes", "345");
        answer.put("load.time.ms", "28");
        answer.put("begin.txn.time.ms", "1");
        answer.put("put.time.ms", "4");
        answer.put("read.time.ms", "3");
        answer.put("write.time.ms", "18");
        answer.put("commit.publish.time.ms", "5");
        return answer;
    }

    @Test
    void theFourteenMetricsAreThereTwicePerTable() throws Exception {
        try (TestSink job = TestSink.on(doris).start()) {
            job.clients.get(0).figures = answer();
            job.write(0, "a", "b").checkpoint(1);
            job.write(0, "c", "u/1").checkpoint(2);
            RecordedMetrics metrics = job.contexts.get(0).metrics;
            for (String name : COUNTERS) {
                assertThat(metrics.count("test.t_" + name))
                        .as(name)
                        .isEqualTo(metrics.count("database=test.table=t." + name));
                assertThat(metrics.metric("test.t_" + name))
                        .isNotSameAs(metrics.metric("database=test.table=t." + name));
                assertThat(metrics.names()).contains("test.u_" + name);
            }
            for (String name : HISTOGRAMS) {
                Histogram official = (Histogram) metrics.metric("test.t_" + name);
                Histogram labelled = (Histogram) metrics.metric("database=test.table=t." + name);
                // Flink's REST interface keeps one name for each object.
                assertThat(official).isNotSameAs(labelled);
                assertThat(official.getCount()).isEqualTo(labelled.getCount()).isEqualTo(2);
                assertThat(official.getStatistics().getValues())
                        .containsExactly(labelled.getStatistics().getValues());
            }
            assertThat(metrics.count("test.t_totalFlushLoadBytes")).isEqualTo(690);
            assertThat(metrics.count("test.t_flushTotalNumberRows")).isEqualTo(20);
            assertThat(metrics.count("test.t_totalFlushLoadedRows")).isEqualTo(14);
            assertThat(metrics.count("test.t_totalFlushTimeMs")).isEqualTo(56);
            assertThat(metrics.count("test.t_totalFlushSucceededNumber")).isEqualTo(2);
            assertThat(metrics.count("test.t_totalFlushFailedNumber")).isZero();
            assertThat(metrics.count("test.t_totalFlushFilteredRows")).isEqualTo(4);
            assertThat(metrics.count("test.t_totalFlushUnselectedRows")).isEqualTo(2);
            assertThat(samples(metrics, "beginTxnTimeMs")).containsExactly(1, 1);
            assertThat(samples(metrics, "putDataTimeMs")).containsExactly(4, 4);
            assertThat(samples(metrics, "readDataTimeMs")).containsExactly(3, 3);
            assertThat(samples(metrics, "writeDataTimeMs")).containsExactly(18, 18);
            assertThat(samples(metrics, "commitAndPublishTimeMs")).containsExactly(5, 5);
            assertThat(samples(metrics, "loadTimeMs")).containsExactly(28, 28);
        }
    }

    @Test
    void aFieldThatTheAnswerLacksAddsNothing() throws Exception {
        try (TestSink job = TestSink.on(doris).start()) {
            job.clients.get(0).figures = Map.of("loaded.rows", "2");
            job.write(0, "a", "b").checkpoint(1);
            RecordedMetrics metrics = job.contexts.get(0).metrics;
            assertThat(metrics.count("test.t_totalFlushLoadedRows")).isEqualTo(2);
            assertThat(metrics.count("test.t_flushTotalNumberRows")).isZero();
            assertThat(samples(metrics, "loadTimeMs")).isEmpty();
        }
    }

    @Test
    void use4FlinksOwnMetricsAndOurs() throws Exception {
        try (TestSink job = TestSink.on(doris).start()) {
            job.clients.get(0).figures = answer();
            RecordedMetrics metrics = job.contexts.get(0).metrics;
            assertThat(metrics.names())
                    .contains(
                            "numRecordsSend",
                            "numBytesSend",
                            "numRecordsSendErrors",
                            "currentSendTime",
                            "bufferedBytes",
                            "openTransactions",
                            "nativeMemoryBytes",
                            "maxNativeMemoryBytes",
                            "openConnections",
                            "loadsSucceeded",
                            "loadAttemptsFailed",
                            "submittedRows",
                            "encodedBytes",
                            "sentBytes",
                            "rowsSkippedByDeleteRule");
            job.write(0, "a", "b", "c");
            job.writer(0).flush(false);
            assertThat(metrics.value("openTransactions")).isEqualTo(1L);
            assertThat(metrics.value("bufferedBytes")).isEqualTo(7L);
            assertThat(metrics.value("nativeMemoryBytes")).isEqualTo(12L);
            assertThat(metrics.value("maxNativeMemoryBytes")).isEqualTo(12L);
            job.checkpoint(1);
            assertThat(metrics.value("openTransactions")).isEqualTo(0L);
            assertThat(metrics.count("numRecordsSend")).isEqualTo(3);
            assertThat(metrics.count("numBytesSend")).isEqualTo(5);
            assertThat(metrics.value("currentSendTime")).isEqualTo(28L);
            assertThat(metrics.count("numRecordsSendErrors")).isZero();
        }
    }

    private static long[] samples(RecordedMetrics metrics, String name) {
        return ((Histogram) metrics.metric("test.t_" + name)).getStatistics().getValues();
    }
}
